import {spawn} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {shown, startDaemon} from './daemon.js';
import {furnish} from './furnish.js';
import {startRelay} from './relay.js';
import {strictDocument} from './strict-document.js';
import {uncheckedOf} from './unchecked.js';

/**
 * @typedef {object} RoundOptions
 * @property {string} program
 * @property {readonly string[]} phases
 * @property {string} examples a route at most
 * @property {string} seed
 * @property {boolean} [isWrong] whether each answer has a field that is not described
 * @property {string} [only] the operation that is asked alone
 */

const hooks = fileURLToPath(new URL('hooks.py', import.meta.url));

/**
 * Has schemathesis ask a daemon of its own.
 * @param {RoundOptions} options
 */
export async function runRound({program, phases, examples, seed, isWrong = false, only}) {
	const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-api-'));
	const daemon = await startDaemon();
	const document = await furnish(strictDocument(await documentOf(daemon.url)), daemon);
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
 * All operations of a document, and whether each was called and had a success.
 * @param {import('./operations.js').Document} document
 * @param {ReadonlyMap<string, boolean>} called
 */
function reachedOf({paths}, called) {
	const operations = Object.values(paths).flatMap(path => Object.values(path));
	return new Map(operations.map(({operationId}) => [operationId, called.get(operationId) === true]));
}

/** Whatever is sent can be too large as a whole: its header (431) or its body (413). */
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
		// What is there for one operation is not for another to delete.
		...['[phases.examples.extra-data-sources]', 'responses = false'],
		...[`[auth.openapi.apiKey]`, `api_key = "${shown.key}"`],
		...[`[auth.openapi.token]`, `bearer = "${shown.token}"`],
		...[`[auth.openapi.operatorToken]`, `bearer = "${shown.operator}"`],
		...[`[auth.openapi.sendKey]`, `bearer = "${shown.send}"`],
		...uncheckedOf.flatMap(({operation, checks}) => [
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
