/**
 * Compares the output and responses of tinbox with the files of this folder; `commands.test.ts` does so for commands.
 * `npm run golden` rewrites the files. Every change of behavior or wording is a diff there.
 */
import {expect, test} from 'vitest';
import {helpTopics} from '../../src/cli/commands/help.js';
import {describeFailure} from '../../src/cli/output/failure.js';
import {ApiError} from '../../src/client/errors.js';
import {mcpExtras} from '../../src/contract/constants.js';
import {AppError, type ErrorCode} from '../../src/domain/errors.js';
import {operationGroups} from '../../src/http/api/index.js';
import {describeApi} from '../../src/http/openapi/document.js';
import {statusOf} from '../../src/http/server/problems.js';
import {toolList} from '../../src/mcp/session.js';
import {refusalOf} from '../../src/smtp/reply.js';
import {commandsBelow, helpOf, wholeProgram} from '../helpers/commands.js';
import {silent} from '../helpers/resources.js';
import {recordSmtp} from './smtp.js';
import {recordWebhookBodies} from './webhook-bodies.js';

test('the OpenAPI document equals the recorded one', async () => {
	const document = JSON.stringify(describeApi(operationGroups), undefined, '\t');
	await expect(`${document}\n`).toMatchFileSnapshot('openapi.json');
});

test('--help of every command and every help topic equal the recorded texts', async () => {
	const program = await wholeProgram();
	const pages = [['tinbox', program] as const, ...commandsBelow(program)];
	const help = pages.map(([words, command]) => `$ ${words} --help\n\n${helpOf(command)}`);
	const topics = Object.entries(helpTopics).map(([name, topic]) => `$ tinbox help ${name}\n\n${topic.text()}`);
	await expect([...help, ...topics].join('\n\n')).toMatchFileSnapshot('help.txt');
});

test('every error code has the recorded HTTP status, exit code and SMTP reply code', async () => {
	const rows = Object.entries(statusOf).map(([code, status]) => {
		const {exitCode} = describeFailure(new ApiError({status, code, detail: ''}));
		const reply = isSmtpCode(code) ? refusalOf(new AppError(code, ''), '', silent).responseCode : '-';
		return [code, status, exitCode, reply].join('\t');
	});
	await expect(`code\tHTTP\texit\tSMTP\n${rows.sort().join('\n')}\n`).toMatchFileSnapshot('errors.txt');
});

test('SMTP replies equal the recorded ones', async () => {
	await expect(await recordSmtp()).toMatchFileSnapshot('smtp.txt');
});

test('webhook requests in every format equal the recorded ones', async () => {
	await expect(await recordWebhookBodies()).toMatchFileSnapshot('webhook-bodies.txt');
});

test('the MCP tools equal the recorded ones', async () => {
	await expect(await recordTools()).toMatchFileSnapshot('mcp.json');
});

/** True for error codes of services. The others exist only in HTTP. */
function isSmtpCode(code: string): code is ErrorCode {
	const protocolOnly = [
		'malformed',
		'foreign_origin',
		'method_not_allowed',
		'timed_out',
		'key_reused',
		'in_progress',
		'unsupported_media_type',
		'expectation_failed',
		'foreign_host',
		'header_too_large',
		'internal',
	];
	return !protocolOnly.includes(code);
}

/** All MCP tools with their descriptions and schemas. */
async function recordTools(): Promise<string> {
	return `${JSON.stringify(toolList(mcpExtras), undefined, '\t')}\n`;
}
