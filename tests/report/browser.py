# SPDX-License-Identifier: MIT
"""A headless Chromium for the tests of report pages: opens one, listens, asks it questions."""
import json, os, shutil, sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")


def available():
    """None, or the word for what is missing."""
    if not CHROMIUM:
        return "chromium"
    if not DRIVER:
        return "chromium-driver"
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "python3-selenium"
    return None


class Browser:
    """One browser for many pages; `with Browser(folder) as b` ends it whatever happens."""

    def __init__(self, scratch):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--no-first-run", f"--user-data-dir={scratch}/profile"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        # what chromium keeps of a user goes into the scratch folder too
        environment = {**os.environ, "HOME": str(scratch), "XDG_CONFIG_HOME": str(scratch),
                       "XDG_CACHE_HOME": str(scratch)}
        self.driver = webdriver.Chrome(service=Service(DRIVER, env=environment), options=options)
        self.driver.set_page_load_timeout(30)
        self.driver.set_script_timeout(30)
        self.checks = (HERE / "checks.js").read_text()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)

    def open(self, path, theme="light", width=1200, scripts=True):
        """Opens a file as a reader would who has this theme and this width of window."""
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": theme},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=900,
                     deviceScaleFactor=1, mobile=False)
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.heard()
        self.driver.get(Path(path).resolve().as_uri())

    def heard(self):
        """Console messages and addresses asked for since the last call."""
        console = [f"{m['level']}: {m['message']}" for m in self.driver.get_log("browser")]
        asked = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
            if message["method"] == "Network.webSocketCreated":
                asked.append(message["params"]["url"])
        return console, asked

    def run(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def faults(self):
        """What checks.js finds wrong with the page that is open, a sentence each."""
        return self.run(self.checks + "\nreturn faults();")

    def keys(self, *names):
        from selenium.webdriver.common.keys import Keys
        from selenium.webdriver.common.action_chains import ActionChains
        ActionChains(self.driver).send_keys(*[getattr(Keys, n) for n in names]).perform()

    def picture(self, path):
        """The whole page as a PNG."""
        import base64
        size = self.run("return [document.documentElement.clientWidth,"
                        "document.documentElement.scrollHeight]")
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=True, format="png",
                            clip={"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1})
        Path(path).write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":  # browser.py PAGE PICTURE [light|dark] [WIDTH]: look at one
    import tempfile
    with tempfile.TemporaryDirectory() as folder, Browser(folder) as b:
        b.open(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else "light",
               int(sys.argv[4]) if len(sys.argv) > 4 else 1200)
        b.picture(sys.argv[2])
        for line in [*b.heard()[0], *b.faults()]:
            print(line)
