import {accountStories} from './accounts.js';
import {agentStories} from './agents.js';
import {blocksIn} from './blocks.js';
import {bounceStories} from './bounces.js';
import {browserStories} from './browser.js';
import {ciStories} from './ci.js';
import {containerStories} from './containers.js';
import {faultStories} from './faults.js';
import {libraryStories} from './libraries.js';
import {mailFileStories} from './mail-files.js';
import {startStories} from './start.js';
import {tlsStories} from './tls.js';
import {waitingStories} from './waiting.js';
import {webhookStories} from './webhooks.js';
import type {Stories} from './world.js';

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

/** Selects the stories of one page from those that are not sorted by page. */
function storiesIn(page: string): Stories {
	const names = blocksIn(page).map(({name}) => name);
	return Object.fromEntries(Object.entries(stories).filter(([name]) => names.includes(name)));
}

/** Stories by page, each with a key per code block (`Heading: language`). */
export const storiesByPage: Readonly<Record<string, Stories>> = {
	'README.md': storiesIn('README.md'),
	'docs/faults.md': storiesIn('docs/faults.md'),
	'docs/webhooks.md': storiesIn('docs/webhooks.md'),
	'docs/teams.md': storiesIn('docs/teams.md'),
	'docs/agents.md': storiesIn('docs/agents.md'),
	'docs/mail-files.md': storiesIn('docs/mail-files.md'),
};

/** Pages whose code blocks another test file runs. */
export const testedElsewhere: Readonly<Record<string, string>> = {
	'docs/kits.md': 'test/kits/frameworks.test.ts',
	'docs/scale.md': 'test/bench/scale/simulate.test.ts',
	'docs/server.md': 'test/e2e/server-recipe/server-recipe.test.ts',
};
