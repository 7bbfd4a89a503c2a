// SPDX-License-Identifier: GPL-2.0-only
// Headless Chromium, driven by the DevTools protocol over a pipe.
"use strict";

const {spawn} = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const delay = time => new Promise(resolve => setTimeout(resolve, time));

// A browser with one page; @seen collects what the page prints and asks for
exports.open = async () => {
	const home = fs.mkdtempSync(path.join(os.tmpdir(), "chromium-"));
	const browser = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
		"--no-first-run", "--remote-debugging-pipe", "--user-data-dir=" + home, "about:blank"],
	{stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
	const waiting = new Map(), page = {seen: {errors: [], requests: []}};
	let last = 0, rest = "";

	const note = ({method, params}) => {
		if (method === "Runtime.exceptionThrown")
			page.seen.errors.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
		if (method === "Log.entryAdded")
			page.seen.errors.push(params.entry.text);
		if (method === "Runtime.consoleAPICalled")
			page.seen.errors.push("console: " + JSON.stringify(params.args.map(arg => arg.value)));
		if (method === "Network.requestWillBeSent")
			page.seen.requests.push(params.request.url);
	};
	browser.stdio[4].on("data", bytes => {
		rest += bytes;
		for (let end = rest.indexOf("\0"); end >= 0; end = rest.indexOf("\0")) {
			const message = JSON.parse(rest.slice(0, end));

			rest = rest.slice(end + 1);
			if (message.id)
				waiting.get(message.id)(message);
			else
				note(message);
		}
	});
	const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
		waiting.set(++last, ({result, error}) => error ? reject(new Error(method + ": " + error.message)) : resolve(result));
		browser.stdio[3].write(JSON.stringify({id: last, method, params, sessionId}) + "\0");
	});
	const {targetId} = await send("Target.createTarget", {url: "about:blank"});
	const {sessionId} = await send("Target.attachToTarget", {targetId, flatten: true});

	page.send = (method, params) => send(method, params, sessionId);
	for (const domain of ["Page", "Runtime", "Log", "Network"])
		await page.send(domain + ".enable");
	// Opens a file, and waits until its script has run
	page.open = async (file, hash = "") => {
		await page.send("Page.navigate", {url: "about:blank"});
		page.seen.errors.length = page.seen.requests.length = 0;
		await page.send("Page.navigate", {url: "file://" + path.resolve(file) + hash});
		for (let i = 0; i < 2400 && !await page.run("document.readyState === 'complete' && location.protocol === 'file:'"); i++)
			await delay(25);
		await page.settle();
	};
	// What an expression is
	page.run = async expression => {
		const {result, exceptionDetails} = await page.send("Runtime.evaluate", {expression, returnByValue: true, awaitPromise: true});

		if (exceptionDetails)
			throw new Error(expression.slice(0, 80) + ": " + exceptionDetails.exception?.description);
		return result.value;
	};
	page.settle = () => page.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 30)))");
	// Presses keys as a person does: names, or characters
	page.press = async (...keys) => {
		for (const key of keys) {
			const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
			const code = {Enter: 13, Escape: 27, Tab: 9, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Home: 36, End: 35,
				PageUp: 33, PageDown: 34, Backspace: 8}[key];

			await page.send("Input.dispatchKeyEvent", {type: text ? "keyDown" : "rawKeyDown", key, text, windowsVirtualKeyCode: code, code: key});
			await page.send("Input.dispatchKeyEvent", {type: "keyUp", key, windowsVirtualKeyCode: code, code: key});
		}
		await page.settle();
	};
	page.size = (width, height) => page.send("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: 1, mobile: false});
	page.theme = value => page.send("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value}]});
	page.picture = async file => {
		const {data} = await page.send("Page.captureScreenshot", {format: "png"});

		fs.writeFileSync(file, Buffer.from(data, "base64"));
	};
	page.close = async () => {
		const ended = new Promise(resolve => browser.on("exit", resolve));

		await send("Browser.close");
		await ended;
		// processes of the browser may still write
		for (let left = 50; fs.existsSync(home) && left; left--) {
			try {
				fs.rmSync(home, {recursive: true, force: true});
			} catch {
				await delay(100);
			}
		}
	};
	await page.size(1280, 800);
	await page.theme("light");
	return page;
};
