import {execFileSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, readdirSync} from 'node:fs';
import {homedir} from 'node:os';
import path from 'node:path';

/**
 * @typedef {object} MailClient a mail library with typical usage, or a program
 * @property {() => readonly string[]} prepare builds it and returns its command; throws if something is missing
 * @property {boolean} [isNamed] true if the name to verify can differ from the host; others need a name that resolves
 */

const programs = path.join(import.meta.dirname, 'programs');

/** Cache of compiled programs. */
const built = path.join(import.meta.dirname, '../../node_modules/.cache/tinbox-clients');

/** @type {Readonly<Record<string, MailClient>>} */
export const clients = {
	nodemailer: {prepare: () => [process.execPath, program('nodemailer.js')], isNamed: true},
	curl: {
		prepare() {
			run('curl', ['--version']);
			return ['sh', program('curl.sh')];
		},
		isNamed: true,
	},
	'Python smtplib': {prepare: () => python('smtplib', 'python_smtplib.py')},
	Django: {prepare: () => python('django', 'python_django.py')},
	'Go net/smtp': {prepare: () => go('net-smtp')},
	'go-mail': {prepare: () => go('go-mail')},
	'Jakarta Mail': {
		prepare() {
			const folder = copied('jakarta-mail');
			const jars = ['angus-mail', 'angus-activation', 'jakarta.mail-api', 'jakarta.activation-api'].map(jarOf);
			const classPath = [...jars, folder].join(path.delimiter);
			run('javac', ['-cp', classPath, '-d', folder, path.join(folder, 'Deliver.java')]);
			return ['java', '-cp', classPath, 'Deliver'];
		},
	},
	lettre: {
		prepare() {
			const folder = copied('lettre');
			run('cargo', ['build', '--offline', '--quiet'], folder);
			return [path.join(folder, 'target/debug/deliver')];
		},
	},
	PHPMailer: {
		prepare() {
			const folder = process.env['PHPMAILER'] ?? '/usr/share/php/libphp-phpmailer/src';
			run('php', ['-r', `require '${folder}/Exception.php';`]);
			return ['env', `PHPMAILER=${folder}`, 'php', program('phpmailer.php')];
		},
	},
	'Ruby mail': {
		prepare() {
			run('ruby', ['-rmail', '-e', '']);
			return ['ruby', program('mail.rb')];
		},
	},
};

/** @param {string} name */
function program(name) {
	return path.join(programs, name);
}

/**
 * @param {string} module
 * @param {string} name
 */
function python(module, name) {
	run('python3', ['-c', `import ${module}`]);
	return ['python3', program(name)];
}

/** @param {string} name */
function go(name) {
	const folder = copied(name);
	const env = {GOFLAGS: '-mod=mod', GOPROXY: 'off', GOSUMDB: 'off', GOTOOLCHAIN: 'local'};
	run('go', ['build', '-o', 'deliver', '.'], folder, env);
	return [path.join(folder, 'deliver')];
}

/** @param {string} name */
function copied(name) {
	const folder = path.join(built, name);
	mkdirSync(folder, {recursive: true});
	cpSync(program(name), folder, {recursive: true});
	return folder;
}

/**
 * The newest jar of an artifact in the local Maven repository.
 * @param {string} artifact
 */
function jarOf(artifact) {
	const repository = path.join(homedir(), '.m2/repository');
	const jars = existsSync(repository) ? readdirSync(repository, {recursive: true, encoding: 'utf8'}) : [];
	const jar = jars
		.filter(file => new RegExp(`/${artifact}-[\\d.]+\\.jar$`).test(file))
		.sort()
		.at(-1);
	if (jar === undefined) {
		throw new Error(`The local Maven repository does not contain ${artifact}`);
	}

	return path.join(repository, jar);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} [cwd]
 * @param {NodeJS.ProcessEnv} [env]
 */
function run(command, args, cwd, env) {
	execFileSync(command, args, {
		cwd,
		env: {...process.env, ...env},
		stdio: ['ignore', 'ignore', 'pipe'],
		timeout: 600_000,
	});
}
