import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import type {Page} from 'playwright-core';

type Violation = {
	readonly id: string;
	readonly help: string;
	readonly nodes: ReadonlyArray<{readonly target: readonly string[]; readonly failureSummary?: string}>;
};

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of WCAG 2.2 A and AA, and those that are good practice; what mails look like is left out. */
const options = {
	resultTypes: ['violations'],
	iframes: false,
	runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
	// It is off by itself.
	rules: {'target-size': {enabled: true}},
};

/**
 * What axe-core has against the page as it is, a line for each element. It comes by way of the debugger, so that the policy
 * of the page stays as strict as it is.
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
