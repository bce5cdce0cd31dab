import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';

/**
 * @typedef {object} Project
 * @property {string} folder
 * @property {string} temporary temporary folder, which contains the homes of daemons
 * @property {Readonly<Record<string, string>>} env
 */

/** Start time of a test (ms), and whether it had its own inbox. @typedef {{at: number, isOwn: boolean}} Note */

const root = path.join(import.meta.dirname, '../../..');
const {devDependencies: known} = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/**
 * Creates a project in which the packed package is installed.
 * @param {string} folder
 * @returns {Project}
 */
export function createProject(folder) {
	const project = path.join(folder, 'project');
	const temporary = path.join(folder, 'tmp');
	mkdirSync(project);
	mkdirSync(temporary);
	writeFileSync(path.join(project, 'package.json'), '{"private": true, "type": "module"}');
	const packed = execute('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {cwd: root});
	const [{filename}] = JSON.parse(packed);
	npmInstall(project, path.join(folder, filename), `nodemailer@${known.nodemailer}`);
	cpSync(path.join(import.meta.dirname, 'programs/sign-up.cjs'), path.join(project, 'sign-up.cjs'));
	const {TINBOX_URL, TINBOX_API_KEY, SMTP_HOST, SMTP_PORT, ...others} = process.env;
	const commands = [path.join(project, 'node_modules/.bin'), path.join(project, 'python/bin'), others['PATH']];
	const own = {PATH: commands.join(path.delimiter), TINBOX_HOME: path.join(folder, 'home'), TMPDIR: temporary};
	return {folder: project, temporary, env: {...others, ...own}};
}

/**
 * Installs npm packages, in the version of this repository if it has one.
 * @param {string} folder
 * @param {readonly string[]} packages
 */
export function npmInstall(folder, ...packages) {
	const versions = packages.map(name => (known[name] === undefined ? name : `${name}@${known[name]}`));
	execute('npm', ['install', '--no-audit', '--no-fund', ...versions], {cwd: folder});
}

/**
 * Runs the tests of a framework in `files` files on `workers` workers and returns the notes of the tests.
 * @param {Project} project
 * @param {import('./frameworks.js').Framework} framework
 * @param {{mode: 'own' | 'shared' | 'both', files: number, tests: number, workers: number}} run
 */
export function runTests({folder, env}, {program, fileName, command}, {mode, files, tests, workers}) {
	const suite = path.join(folder, 'suite');
	const log = path.join(folder, 'notes');
	rmSync(suite, {recursive: true, force: true});
	mkdirSync(suite);
	writeFileSync(log, '');
	for (let number = 1; number <= files; number++) {
		const text = readFileSync(path.join(import.meta.dirname, 'programs', program), 'utf8');
		writeFileSync(path.join(suite, fileName(number)), text.replaceAll('./sign-up.cjs', '../sign-up.cjs'));
	}

	const [file = '', ...args] = command(workers);
	const {status, stdout, stderr} = spawnSync(file, args, {
		cwd: folder,
		env: {...env, KITS_MODE: mode, KITS_TESTS: String(tests), KITS_LOG: log},
		encoding: 'utf8',
	});
	const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
	const notes = lines.map(line => /** @type {Note} */ (JSON.parse(line)));
	return {exitCode: status, notes, output: stdout + stderr};
}

/**
 * Runs a program and returns its standard output. Throws with its error output if it fails.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} options
 */
export function execute(file, args, options) {
	const {status, stdout, stderr, error} = spawnSync(file, args, {...options, encoding: 'utf8'});
	if (status !== 0) {
		throw new Error(`${file} ${args.join(' ')}: ${error?.message ?? stderr}`);
	}

	return stdout;
}
