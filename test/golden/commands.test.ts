/** The golden tests that run the built program. */
import {hostname, userInfo} from 'node:os';
import {expect} from 'vitest';
import {cliTest} from '../helpers/cli.js';
import {recordAccounts, recordFailures, recordMail, recordOperations, recordWebhooks} from './commands.js';
import {recordEnvironment} from './environment.js';
import {type Replacements, Transcript} from './transcript.js';

const {username} = userInfo();

/** The names of this machine and its user in the output. */
const machine: Replacements = [
	[new RegExp(`\\b${hostname()}\\b`, 'g'), '<host>'],
	[`${username}@localhost`, '<user>@localhost'],
	[new RegExp(`(name":"|\\t)${username}(?=["\\t\\n])`, 'g'), '$1<user>'],
];

const goldenTest = cliTest.extend<{transcript: Transcript}>({
	transcript: async ({env, home}, use) => use(new Transcript(env, [[home, '<home>'], ...machine])),
});

goldenTest('mail commands print the recorded output', async ({transcript}) => {
	await recordMail(transcript);
	await expect(transcript.text).toMatchFileSnapshot('mail.txt');
});

goldenTest('webhook and fault commands print the recorded output', async ({transcript}) => {
	await recordWebhooks(transcript);
	await expect(transcript.text).toMatchFileSnapshot('webhooks.txt');
});

goldenTest('account commands print the recorded output', async ({transcript}) => {
	await recordAccounts(transcript);
	await expect(transcript.text).toMatchFileSnapshot('accounts.txt');
});

goldenTest('daemon, TLS and store commands print the recorded output', async ({transcript, home}) => {
	await recordOperations(transcript, home);
	await expect(transcript.text).toMatchFileSnapshot('operations.txt');
});

goldenTest('failing commands print the recorded output', async ({transcript, home}) => {
	await recordFailures(transcript, home);
	await expect(transcript.text).toMatchFileSnapshot('failures.txt');
});

goldenTest('exported environment variables equal the recorded ones', async ({env, home}) => {
	await expect(await recordEnvironment(env, home)).toMatchFileSnapshot('environment.txt');
});
