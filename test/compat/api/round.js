import {spawn} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {placeholders, startDaemon} from './daemon.js';
import {disabledChecks} from './disabled-checks.js';
import {addExamples} from './examples.js';
import {startRelay} from './relay.js';
import {strictDocument} from './strict-document.js';

/**
 * @typedef {object} RoundOptions
 * @property {string} program
 * @property {readonly string[]} phases
 * @property {string} examples maximum number per route
 * @property {string} seed
 * @property {boolean} [isWrong] adds an undescribed field to each response
 * @property {string} [only] id of the only operation to test
 */

const hooks = fileURLToPath(new URL('hooks.py', import.meta.url));

/**
 * Runs schemathesis against a new daemon.
 * @param {RoundOptions} options
 */
export async function runRound({program, phases, examples, seed, isWrong = false, only}) {
	const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-api-'));
	const daemon = await startDaemon();
	const document = await addExamples(strictDocument(await documentOf(daemon.url)), daemon);
	const relay = await startRelay({...daemon, document, isWrong});
	try {
		const [file = '', config = ''] = ['openapi.json', 'schemathesis.toml'].map(name => path.join(folder, name));
		await writeFile(file, JSON.stringify(document));
		await writeFile(config, configText());
		const args = [
			...['--config-file', config, 'run', file, '--url', relay.url, '--seed', seed],
			...['--phases', phases.join(), '--max-examples', examples, '--continue-on-failure'],
			...['--warnings', 'off', '--no-color', '--request-timeout', '60', '--generation-database', 'none'],
			...(only === undefined ? [] : ['--include-operation-id', only]),
		];
		const child = spawn(program, args, {
			stdio: ['ignore', 'pipe', 'inherit'],
			cwd: folder,
			env: {...process.env, TMPDIR: folder},
		});
		const text = await textOf(child.stdout);
		const status = child.exitCode ?? (await new Promise(resolve => child.once('exit', resolve)));
		const cases = Number(text.match(/^\s*(\d+) generated/m)?.[1] ?? 0);
		return {isFine: status === 0, text, cases, reached: reachedOf(document, relay.called)};
	} finally {
		await relay.close();
		await daemon.stop();
		await rm(folder, {recursive: true, force: true});
	}
}

/**
 * @param {string} url
 * @returns {Promise<import('./operations.js').Document>}
 */
async function documentOf(url) {
	return /** @type {any} */ (await (await fetch(`${url}/openapi.json`)).json());
}

/**
 * All operations of a document by id, with true if a call succeeded.
 * @param {import('./operations.js').Document} document
 * @param {ReadonlyMap<string, boolean>} called
 */
function reachedOf({paths}, called) {
	const operations = Object.values(paths).flatMap(path => Object.values(path));
	return new Map(operations.map(({operationId}) => [operationId, called.get(operationId) === true]));
}

/** Any request can have too large a header (431) or body (413). */
const tooLarge = [413, 431];

const expected = {
	positive_data_acceptance: ['2xx', '3xx', 401, 403, 404, 409, 429, '5xx', ...tooLarge],
	negative_data_rejection: [400, 401, 403, 404, 405, 406, 409, 415, 422, 428, 429, '5xx', ...tooLarge],
};

function configText() {
	return [
		`hooks = ${JSON.stringify(hooks)}`,
		...Object.entries(expected).flatMap(([check, statuses]) => [
			`[checks.${check}]`,
			`expected-statuses = ${JSON.stringify(statuses)}`,
		]),
		// Operations must not delete resources of others.
		...['[phases.examples.extra-data-sources]', 'responses = false'],
		...[`[auth.openapi.apiKey]`, `api_key = "${placeholders.key}"`],
		...[`[auth.openapi.token]`, `bearer = "${placeholders.token}"`],
		...[`[auth.openapi.operatorToken]`, `bearer = "${placeholders.operator}"`],
		...[`[auth.openapi.sendKey]`, `bearer = "${placeholders.send}"`],
		...disabledChecks.flatMap(({operation, checks}) => [
			'[[operations]]',
			`include-operation-id = "${operation}"`,
			'[operations.checks]',
			...checks.map(check => `${check}.enabled = false`),
		]),
		'',
	].join('\n');
}

/** @param {import('node:stream').Readable} stream */
async function textOf(stream) {
	let text = '';
	for await (const chunk of stream.setEncoding('utf8')) {
		text += chunk;
	}

	return text;
}
