import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import type {Page} from 'playwright-core';

type Violation = {
	readonly id: string;
	readonly help: string;
	readonly nodes: ReadonlyArray<{readonly target: readonly string[]; readonly failureSummary?: string}>;
};

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules of WCAG 2.2 A and AA, and best practices. Frames with mails are skipped. */
const options = {
	resultTypes: ['violations'],
	iframes: false,
	runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
	// Off by default.
	rules: {'target-size': {enabled: true}},
};

/**
 * Violations that axe-core finds in the page, one line per element. axe-core runs through the debugger, which the content
 * security policy of the page does not block.
 */
export async function violationsIn(page: Page): Promise<readonly string[]> {
	const protocol = await page.context().newCDPSession(page);
	await protocol.send('Runtime.evaluate', {expression: `globalThis.axe || ${source}`});
	const expression = `axe.run(document, ${JSON.stringify(options)}).then(({violations}) => JSON.stringify(violations))`;
	const {result, exceptionDetails} = await protocol.send('Runtime.evaluate', {expression, awaitPromise: true});
	await protocol.detach();
	if (exceptionDetails) {
		throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
	}

	return (JSON.parse(String(result.value)) as readonly Violation[]).flatMap(({id, help, nodes}) =>
		nodes.map(({target, failureSummary = ''}) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary}`),
	);
}
