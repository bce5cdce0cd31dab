import {stories as agents} from './agents.js';
import {stories as apps} from './apps.js';
import {stories as bounces} from './bounces.js';
import {stories as browserAndTerminal} from './browser-and-terminal.js';
import {stories as codesAndLinks} from './codes-and-links.js';
import {stories as faults} from './faults.js';
import {stories as firstTest} from './first-test.js';
import {stories as mailFiles} from './mail-files.js';
import {stories as mailLibraries} from './mail-libraries.js';
import {stories as migrating} from './migrating.js';
import {stories as ci} from './operate/ci.js';
import {stories as containers} from './operate/containers.js';
import {stories as oneServer} from './operate/one-server.js';
import {stories as usersAndTeams} from './operate/users-and-teams.js';
import {stories as readme} from './readme.js';
import {stories as httpApi} from './reference/http-api.js';
import {stories as sending} from './sending.js';
import {stories as smtpAuth} from './smtp-auth.js';
import {stories as testFrameworks} from './test-frameworks.js';
import {stories as tls} from './tls.js';
import {stories as waiting} from './waiting.js';
import {stories as webhooks} from './webhooks.js';
import type {Stories} from './world.js';

/** Stories by page, each with a key per code block (`Heading: language`). */
export const storiesByPage: Readonly<Record<string, Stories>> = {
	'README.md': readme,
	'docs/agents.md': agents,
	'docs/apps.md': apps,
	'docs/bounces.md': bounces,
	'docs/browser-and-terminal.md': browserAndTerminal,
	'docs/codes-and-links.md': codesAndLinks,
	'docs/faults.md': faults,
	'docs/first-test.md': firstTest,
	'docs/mail-files.md': mailFiles,
	'docs/mail-libraries.md': mailLibraries,
	'docs/migrating.md': migrating,
	'docs/operate/ci.md': ci,
	'docs/operate/containers.md': containers,
	'docs/operate/one-server.md': oneServer,
	'docs/operate/users-and-teams.md': usersAndTeams,
	'docs/reference/http-api.md': httpApi,
	'docs/sending.md': sending,
	'docs/smtp-auth.md': smtpAuth,
	'docs/test-frameworks.md': testFrameworks,
	'docs/tls.md': tls,
	'docs/waiting.md': waiting,
	'docs/webhooks.md': webhooks,
};

/** Pages whose code blocks another test file runs. */
export const testedElsewhere: Readonly<Record<string, string>> = {
	'docs/operate/backup.md': 'test/e2e/server-recipe/server-recipe.test.ts',
	'docs/operate/metrics-and-logs.md': 'test/unit/metrics/documentation.test.ts',
	'docs/operate/postgresql.md': 'test/e2e/server-recipe/server-recipe.test.ts',
	'docs/operate/scale.md': 'bench/scale/simulate.test.ts',
	'docs/reference/cli.md': 'test/conventions/commands.test.ts',
};
