import type {Page} from 'playwright-core';
import {expect} from 'vitest';

/** As many presses of Tab as nobody would make. */
const maxSteps = 60;

const inFocus = `(focused =>
	document.getElementById(focused.getAttribute('aria-activedescendant')) ?? focused
)(document.activeElement)`;

/** What a screen reader says of what has the focus, or of the row that is chosen in it: role and name in Chromium's accessibility tree. */
export async function heard(page: Page): Promise<string> {
	const protocol = await page.context().newCDPSession(page);
	const {result} = await protocol.send('Runtime.evaluate', {expression: inFocus});
	const {nodes} = await protocol.send('Accessibility.getPartialAXTree', {
		objectId: String(result.objectId),
		fetchRelatives: false,
	});
	await protocol.detach();
	return `${nodes[0]?.role?.value} ${JSON.stringify(nodes[0]?.name?.value ?? '')}`;
}

/** Goes on by Tab until that is heard, or back by Shift+Tab. */
export async function tabTo(page: Page, wanted: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
	const passed: string[] = [];
	while (passed.at(-1) !== wanted && passed.length < maxSteps) {
		await page.keyboard.press(key);
		passed.push(await heard(page));
	}

	expect(passed).toContain(wanted);
}
