import type {Page} from 'playwright-core';
import {expect} from 'vitest';

const maxPresses = 60;

const focusedElement = `(focused =>
	document.getElementById(focused.getAttribute('aria-activedescendant')) ?? focused
)(document.activeElement)`;

/** Role and name, in Chromium's accessibility tree, of the element in focus or of its active row: what a screen reader announces. */
export async function announced(page: Page): Promise<string> {
	const protocol = await page.context().newCDPSession(page);
	const {result} = await protocol.send('Runtime.evaluate', {expression: focusedElement});
	const {nodes} = await protocol.send('Accessibility.getPartialAXTree', {
		objectId: String(result.objectId),
		fetchRelatives: false,
	});
	await protocol.detach();
	return `${nodes[0]?.role?.value} ${JSON.stringify(nodes[0]?.name?.value ?? '')}`;
}

/** Presses Tab or Shift+Tab until the expected element is announced. */
export async function tabTo(page: Page, expected: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
	const passed: string[] = [];
	while (passed.at(-1) !== expected && passed.length < maxPresses) {
		await page.keyboard.press(key);
		passed.push(await announced(page));
	}

	expect(passed).toContain(expected);
}
