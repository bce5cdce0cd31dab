/**
 * `npm run test:api [-- --short] [--examples <a route>] [--seed <number>]`: schemathesis asks a daemon whatever its OpenAPI document
 * allows and forbids, in all phases, and finds answers that the document does not describe. It must find them in a daemon whose
 * answers have one field more. `SCHEMATHESIS` names the program where it is not on the PATH.
 */
import {spawn, spawnSync} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {parseArgs} from 'node:util';
import {shown, startDaemon} from './daemon.js';
import {startRelay} from './relay.js';
import {strictDocument} from './strict-document.js';
import {uncheckedOf} from './unchecked.js';

const {values} = parseArgs({
	options: {
		short: {type: 'boolean', default: false},
		examples: {type: 'string'},
		seed: {type: 'string'},
	},
});
const program = process.env['SCHEMATHESIS'] ?? 'schemathesis';
if (spawnSync(program, ['--version']).status === 0) {
	const usual = values.short ? '1' : '400';
	const phases = values.short ? ['coverage'] : ['examples', 'coverage', 'fuzzing', 'stateful'];
	const real = await ask({phases, examples: values.examples ?? usual, isWrong: false});
	const wrong = await ask({phases: ['coverage'], examples: '1', isWrong: true, only: 'listPlans'});
	console.log(`api: ${real.isFine ? 'fine' : 'WRONG'}: ${real.requests} requests, ${real.summary}`);
	console.log(`api, with a field that is not described: ${wrong.isFine ? 'NOT FOUND' : 'found'}`);
	if (!real.isFine || wrong.isFine) {
		process.exitCode = 1;
	}
} else {
	console.error('This needs schemathesis 4: pip install schemathesis, or name the program in SCHEMATHESIS.');
	process.exitCode = 1;
}

/**
 * @param {{phases: readonly string[], examples: string, isWrong: boolean, only?: string}} options
 */
async function ask({phases, examples, isWrong, only}) {
	const folder = await mkdtemp(path.join(tmpdir(), 'tinbox-api-'));
	const daemon = await startDaemon();
	const relay = await startRelay({...daemon, isWrong});
	try {
		const document = strictDocument(/** @type {object} */ (await (await fetch(`${daemon.url}/openapi.json`)).json()));
		const [file, config] = ['openapi.json', 'schemathesis.toml'].map(name => path.join(folder, name));
		await writeFile(String(file), JSON.stringify(document));
		await writeFile(String(config), configText());
		const args = [
			...['--config-file', String(config), 'run', String(file), '--url', relay.url],
			...['--phases', phases.join(), '--max-examples', examples, '--workers', '2', '--continue-on-failure'],
			...['--warnings', 'off', '--no-color', '--request-timeout', '60'],
			...(values.seed === undefined ? [] : ['--seed', values.seed]),
			...(only === undefined ? [] : ['--include-operation-id', only]),
		];
		const child = spawn(program, args, {
			stdio: ['ignore', 'pipe', 'inherit'],
			cwd: folder,
			env: {...process.env, TMPDIR: folder},
		});
		const text = await textOf(child.stdout);
		const status = child.exitCode ?? (await new Promise(resolve => child.once('exit', resolve)));
		if (status !== 0 && !isWrong) {
			console.log(text);
		}

		const summary = text.match(/^\s*(\d+ generated.*)$/m)?.[1] ?? 'no summary';
		const tested = text.match(/^\s*Tested: (\d+)$/m)?.[1];
		return {isFine: status === 0, requests: relay.requests(), summary: `${tested} operations, ${summary}`};
	} finally {
		await relay.close();
		await daemon.stop();
		await rm(folder, {recursive: true, force: true});
	}
}

function configText() {
	return [
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
