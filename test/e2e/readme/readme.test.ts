import {describe, expect, test} from 'vitest';
import {accountStories} from './accounts.js';
import {agentStories} from './agents.js';
import {mailLine, readBlocks} from './blocks.js';
import {bounceStories} from './bounces.js';
import {browserStories} from './browser.js';
import {ciStories} from './ci.js';
import {containerStories} from './containers.js';
import {faultStories} from './faults.js';
import {libraryStories, mailLibraries} from './libraries.js';
import {mailFileStories} from './mail-files.js';
import {startStories} from './start.js';
import {tlsStories} from './tls.js';
import {waitingStories} from './waiting.js';
import {webhookStories} from './webhooks.js';
import {createWorld, isThere, type Stories} from './world.js';

const stories: Stories = {
	...startStories,
	...ciStories,
	...libraryStories,
	...tlsStories,
	...containerStories,
	...waitingStories,
	...faultStories,
	...bounceStories,
	...webhookStories,
	...browserStories,
	...accountStories,
	...agentStories,
	...mailFileStories,
};
const blocks = readBlocks();

test('each block of code in the README and its pages has a test', () => {
	expect(blocks.map(({name}) => name).sort()).toEqual(Object.keys(stories).sort());
});

// Some of them install packages.
describe('the README is true as it is printed:', {timeout: 120_000}, () => {
	test.for(blocks)('$name', async ({name, code}, {skip}) => {
		const {needs = [], run} = stories[name] ?? {run: async () => expect.unreachable()};
		skip(!needs.every(isThere), `needs ${needs.join(', ')}`);
		await run(code, await createWorld());
	});

	test.for(Object.entries(mailLibraries))('the line for %s', async ([library, {needs = [], run}], {skip}) => {
		skip(!needs.every(isThere), `needs ${needs.join(', ')}`);
		await run(mailLine(library), await createWorld());
	});
});
