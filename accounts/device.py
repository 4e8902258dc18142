"""Names of browsers and systems, from the User-Agent header."""

from __future__ import annotations

# The first that a browser names itself after: most also claim to be the ones further down.
BROWSERS = {
    "Edg": "Edge", "OPR": "Opera", "SamsungBrowser": "Samsung Internet", "Firefox": "Firefox",
    "FxiOS": "Firefox", "Chrome": "Chrome", "CriOS": "Chrome", "Safari": "Safari",
}  # fmt: skip
SYSTEMS = {
    "Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows", "CrOS": "ChromeOS",
    "Mac OS X": "Mac", "Linux": "Linux",
}  # fmt: skip


def device_name(user_agent: str) -> str:
    """Return browser and system, for example "Firefox on Linux"; "A browser" or "a device" if unknown.

    >>> device_name("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Linux'
    >>> device_name("curl/8.1")
    'A browser on a device'
    """
    browser = next((word for mark, word in BROWSERS.items() if mark in user_agent), "A browser")
    system = next((word for mark, word in SYSTEMS.items() if mark in user_agent), "a device")
    return f"{browser} on {system}"
