import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';

/**
 * @typedef {object} Project
 * @property {string} folder
 * @property {string} temporary its temporary folder, in which a tinbox has its home
 * @property {Readonly<Record<string, string>>} env
 */

/** What a test notes: when it began (ms), and whether it had an inbox of its own. @typedef {{at: number, isOwn: boolean}} Note */

const root = path.join(import.meta.dirname, '../../..');
const {devDependencies: known} = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/**
 * A project in the folder that has installed the package, as it would be published.
 * @param {string} folder
 * @returns {Project}
 */
export function makeProject(folder) {
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
 * Installs packages of npm; those that this repository has, too, in the same version.
 * @param {string} folder
 * @param {readonly string[]} packages
 */
export function npmInstall(folder, ...packages) {
	const versions = packages.map(name => (known[name] === undefined ? name : `${name}@${known[name]}`));
	execute('npm', ['install', '--no-audit', '--no-fund', ...versions], {cwd: folder});
}

/**
 * Runs the program of a framework in so many files, on so many workers, and reads what its tests noted.
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
 * What a program prints. Throws with what it said when it fails.
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
