-- The setting "offline_mode" was called "air_gap".
UPDATE OR REPLACE remembered SET key = 'offline_mode' WHERE scope = 'setting' AND key = 'air_gap';
