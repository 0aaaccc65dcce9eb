"""weather: current conditions and a forecast, from Open-Meteo."""

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from workbench.agent.base import ToolResult
from workbench.agent.references import RunReferences
from workbench.agent.tools.access import WebAccess, WebRequest
from workbench.agent.tools.offer import ToolContext, ToolOffer
from workbench.agent.tools.tool_results import FoundPassages, outside_result, whole_number
from workbench.errors import DocumentError, ToolError
from workbench.language import mark
from workbench.model.egress import Purpose
from workbench.model.hit import OutsidePassage
from workbench.model.message import ToolReach, ToolSpec
from workbench.settings import Settings

WEATHER = "weather"
SECONDS = 10.0
_MOST_DAYS = 16
_CHINESE = re.compile(r"[\u3400-\u9fff]")

_CURRENT = (
    "temperature_2m",
    "apparent_temperature",
    "relative_humidity_2m",
    "precipitation",
    "weather_code",
    "wind_speed_10m",
)
_DAILY = (
    "weather_code",
    "temperature_2m_max",
    "temperature_2m_min",
    "precipitation_sum",
    "precipitation_probability_max",
    "wind_speed_10m_max",
)
_WORDS = {
    0: "clear", 1: "mainly clear", 2: "partly cloudy", 3: "overcast", 45: "fog", 48: "freezing fog",
    51: "light drizzle", 53: "drizzle", 55: "heavy drizzle", 56: "light freezing drizzle", 57: "freezing drizzle",
    61: "light rain", 63: "rain", 65: "heavy rain", 66: "light freezing rain", 67: "freezing rain",
    71: "light snow", 73: "snow", 75: "heavy snow", 77: "snow grains", 80: "light showers", 81: "showers",
    82: "violent showers", 85: "light snow showers", 86: "snow showers", 95: "thunderstorm",
    96: "thunderstorm with hail", 99: "thunderstorm with heavy hail",
}  # fmt: skip
"""Descriptions of the weather codes of the World Meteorological Organization that Open-Meteo uses."""


class WeatherTool:
    """Tool that looks up the coordinates of a place and then its weather."""

    def __init__(self, web: WebAccess | None, settings: Settings, references: RunReferences) -> None:
        self._web = web
        self._settings = settings
        self._references = references

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            WEATHER,
            "Tells the weather at a place now, and the forecast of the next days.",
            {
                "type": "object",
                "properties": {
                    "place": {
                        "type": "string",
                        "description": "A town or postal code: “Lund”, “Lund, Sweden”, “上海”.",
                    },
                    "days": {"type": "integer", "description": f"How many days, 1 to {_MOST_DAYS}.", "default": 3},
                },
                "required": ["place"],
                "additionalProperties": False,
            },
            reach=ToolReach.NETWORK,
            sends=mark("Sends the name of the place to the weather service (Open-Meteo)."),
            aliases=("天气查询", "天气", "get_weather"),
        )

    async def call(self, arguments: dict[str, Any]) -> ToolResult:
        """Return the weather as a passage that can be cited.

        Raises:
            ToolError: The place does not exist, or the service is unavailable.
        """
        days = whole_number(arguments, "days", default=3, least=1, most=_MOST_DAYS)
        location = str(arguments["place"]).strip()
        if self._web is None or not location:
            raise ToolError(
                "The place is empty: name one." if not location else "This computer has no network connection."
            )
        began = time.perf_counter()
        try:
            place = await self._place(self._web, location)
            query = {
                "latitude": place["latitude"],
                "longitude": place["longitude"],
                "current": ",".join(_CURRENT),
                "daily": ",".join(_DAILY),
                "timezone": "auto",
                "forecast_days": days,
            }
            forecast = await self._ask(self._web, f"{self._settings.weather_url}/v1/forecast", query)
            text = "\n".join([_place_words(place), _now(forecast), *_days(forecast)])
        except DocumentError as error:
            raise ToolError(f"The weather could not be looked up: {error.message}") from error
        except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
            raise ToolError("The weather service answered with something that cannot be read.") from error
        passage = OutsidePassage(text, f"Weather in {place['name']}", uri="https://open-meteo.com/")
        found = FoundPassages(f"weather in {location}", [passage], time.perf_counter() - began)
        return outside_result(self._references, mark("weather"), found)

    async def _place(self, web: WebAccess, said: str) -> Mapping[str, Any]:
        """Return the best match for the name of a place; for “Lund, Sweden”, one in that country or region."""
        name, _, region = (part.strip() for part in said.replace("，", ",").partition(","))
        language = "zh" if _CHINESE.search(said) else "en"
        query = {"name": name, "count": 10, "language": language, "format": "json"}
        answer = await self._ask(web, f"{self._settings.geocoding_url}/v1/search", query)
        places: Sequence[Mapping[str, Any]] = answer.get("results") or ()
        key = region.casefold()
        matching = [one for one in places if not key or any(key in part.casefold() for part in _regions(one))]
        if not matching:
            known = "; ".join(_place_words(one) for one in places[:5])
            raise ToolError(
                f"There is no place “{said[:80]}”. There are: {known}"
                if known
                else f"There is no place “{said[:80]}”. Give the name of a town, in English or its own language."
            )
        return matching[0]

    async def _ask(self, web: WebAccess, address: str, query: Mapping[str, Any]) -> Any:
        address = f"{address}?{urlencode(query, safe=',')}"
        request = WebRequest(address, seconds=SECONDS, is_chosen=True, purpose=Purpose.WEATHER)
        return await web.json(request)


def _regions(place: Mapping[str, Any]) -> list[str]:
    return [str(place[key]) for key in ("country", "country_code", "admin1", "admin2") if place.get(key)]


def _place_words(place: Mapping[str, Any]) -> str:
    names = [str(place[key]) for key in ("name", "admin1", "country") if place.get(key)]
    return f"{', '.join(dict.fromkeys(names))} ({place['latitude']:.2f}, {place['longitude']:.2f})"


def _now(forecast: Mapping[str, Any]) -> str:
    now, units = forecast["current"], forecast["current_units"]

    def with_unit(key: str) -> str:
        return f"{now[key]} {units[key]}"

    when = f"{now['time']}, {forecast['timezone']}"
    felt = f"{with_unit('temperature_2m')} (feels like {with_unit('apparent_temperature')})"
    return (
        f"Now ({when}): {_weather(now['weather_code'])}, {felt}, humidity {with_unit('relative_humidity_2m')},"
        f" precipitation {with_unit('precipitation')}, wind {with_unit('wind_speed_10m')}."
    )


def _days(forecast: Mapping[str, Any]) -> list[str]:
    daily, units = forecast["daily"], forecast["daily_units"]
    lines = []
    for place, day in enumerate(daily["time"]):
        value = {key: daily[key][place] for key in _DAILY}
        chance = value["precipitation_probability_max"]
        likely = f" (chance {chance} %)" if chance is not None else ""
        lines.append(
            f"{day}: {_weather(value['weather_code'])}, {value['temperature_2m_min']} to {value['temperature_2m_max']}"
            f" {units['temperature_2m_max']}, precipitation {value['precipitation_sum']}"
            f" {units['precipitation_sum']}{likely}, wind up to {value['wind_speed_10m_max']}"
            f" {units['wind_speed_10m_max']}."
        )
    return lines


def _weather(code: Any) -> str:
    return _WORDS.get(code, f"weather code {code}")


def _make(context: ToolContext) -> WeatherTool:
    return WeatherTool(context.web, context.settings, context.references)


OFFER = ToolOffer(
    WEATHER,
    mark("Weather"),
    mark("Looks up the weather of a place at Open-Meteo."),
    "weather",
    _make,
    needs_network=True,
)
