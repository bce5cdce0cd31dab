import {existsSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {allPages, blocksIn, mailLine, root} from './blocks.js';
import {mailLibraries} from './mail-libraries.js';
import {storiesByPage, testedElsewhere} from './pages.js';
import {createWorld, isInstalled} from './world.js';

test('every documentation page with a code block has stories or is tested in another file', () => {
	const pages = allPages.filter(page => blocksIn(page).length > 0);
	expect([...Object.keys(storiesByPage), ...Object.keys(testedElsewhere)].sort()).toEqual(pages.sort());
	for (const file of Object.values(testedElsewhere)) {
		expect(existsSync(path.join(root, file)), file).toBe(true);
	}
});

// Some stories install packages.
describe.each(Object.entries(storiesByPage))('the page %s', {timeout: 120_000}, (page, stories) => {
	test('has one story per code block', () => {
		expect(
			blocksIn(page)
				.map(({name}) => name)
				.sort(),
		).toEqual(Object.keys(stories).sort());
	});

	test.for(blocksIn(page))('the block "$name" runs as printed', async ({name, code}, {skip}) => {
		const {needs = [], run} = stories[name] ?? {run: async () => expect.unreachable()};
		skip(!needs.every(isInstalled), `needs ${needs.join(', ')}`);
		await run(code, await createWorld());
	});
});

describe('docs/mail-libraries.md', {timeout: 120_000}, () => {
	test.for(Object.entries(mailLibraries))(
		'has a line for %s that sends mail to tinbox',
		async ([library, {needs = [], run}], {skip}) => {
			skip(!needs.every(isInstalled), `needs ${needs.join(', ')}`);
			await run(mailLine(library), await createWorld());
		},
	);
});
