"""Model profiles: how to reach the chat models; keys are not in here."""

from workbench.errors import NotFound, SettingError
from workbench.model.profile import OFFLINE, ModelProfile, ToolCalling, WireApi
from workbench.store.database import Database

_SELECT = "SELECT name, base_url, model, api, key_env, detected_api, tool_calling, detected_tools FROM profiles"
# The method list() hides the type inside the class.
Profiles = list[ModelProfile]


class ProfileStore:
    """The profile "offline" is built in: always first, never changed or removed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self) -> Profiles:
        """Return all profiles, OFFLINE first, the others by name."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_SELECT} ORDER BY name").fetchall()
        return [OFFLINE, *(_profile_of(row) for row in rows)]

    def get(self, name: str) -> ModelProfile:
        """Return a profile.

        Raises:
            NotFound: There is none of that name.
        """
        if name == OFFLINE.name:
            return OFFLINE
        with self._database.read() as connection:
            row = connection.execute(f"{_SELECT} WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise NotFound(
                f"There is no model profile “{name}”.",
                f"The profiles are {', '.join(profile.name for profile in self.list())}.",
            )
        return _profile_of(row)

    def put(self, profile: ModelProfile) -> None:
        """Keep a profile, in the place of one of the same name.

        Raises:
            SettingError: The name is blank or that of the built-in profile.
        """
        if profile.name == OFFLINE.name or not profile.name.strip():
            raise SettingError(f"A model profile cannot be called “{profile.name}”.", "Choose another name.")
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO profiles"
                " (name, base_url, model, api, key_env, detected_api, tool_calling, detected_tools)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    profile.name,
                    profile.base_url,
                    profile.model,
                    profile.api.value,
                    profile.key_env,
                    profile.detected_api.value if profile.detected_api else None,
                    profile.tool_calling.value,
                    profile.detected_tools.value if profile.detected_tools else None,
                ),
            )

    def remove(self, name: str) -> None:
        """Forget a profile.

        Raises:
            NotFound: There is none of that name.
            SettingError: It is the built-in one.
        """
        if name == OFFLINE.name:
            raise SettingError("The profile “offline” is built in and stays.", "Remove another profile.")
        self.get(name)
        with self._database.write() as connection:
            connection.execute("DELETE FROM profiles WHERE name = ?", (name,))

    def remember_api(self, name: str, api: WireApi) -> None:
        """Keep which wire format a profile's server was found to speak; nothing happens when the profile is gone."""
        with self._database.write() as connection:
            connection.execute("UPDATE profiles SET detected_api = ? WHERE name = ?", (api.value, name))

    def remember_tool_calling(self, name: str, calling: ToolCalling) -> None:
        """Keep how a profile's model was found to call tools; nothing happens when the profile is gone."""
        with self._database.write() as connection:
            connection.execute("UPDATE profiles SET detected_tools = ? WHERE name = ?", (calling.value, name))


def _profile_of(row: tuple[str, str, str, str, str, str | None, str, str | None]) -> ModelProfile:
    name, base_url, model, api, key_env, detected, calling, tools = row
    return ModelProfile(
        name,
        base_url,
        model,
        WireApi(api),
        key_env,
        WireApi(detected) if detected else None,
        ToolCalling(calling),
        ToolCalling(tools) if tools else None,
    )
