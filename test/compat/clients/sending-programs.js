import {execFileSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync} from 'node:fs';
import path from 'node:path';
import {limits} from '../../unit/send/conformance/sdk-limits.js';

/**
 * @typedef {import('../../unit/send/conformance/sdk-limits.js').Limit} Limit
 *
 * @typedef {object} SendingProgram sends mails with an SDK
 * @property {keyof typeof limits | 'ses'} provider as in the URL of its API
 * @property {readonly Limit[]} limits
 * @property {readonly string[]} [without] titles of mails that the SDK does not support
 * @property {Limit['withoutFeature']} [shown] expected message of a mail, if it differs from the mail
 * @property {() => readonly string[]} prepare installs it and returns its command; throws if something is missing
 */

const programs = path.join(import.meta.dirname, 'programs/sending');

/** Cache of installed packages. */
const installed = path.join(import.meta.dirname, '../../node_modules/.cache/tinbox-clients');

const packages = ['resend==2.52.0', 'sendgrid==6.12.5', 'boto3==1.44.5', 'postmarker==1.0', 'django-anymail==15.2'];

/** Anymail puts tags and metadata into headers if a provider does not support them. @type {Limit} */
const inHeaders = {feature: 'tags and metadata', withoutFeature: mail => ({...mail, tags: [], metadata: {}})};

/** Anymail composes the mail itself, with CRLF line ends in text files (RFC 2046, section 4.1.1). @type {Limit} */
const mailLineEnds = {
	feature: 'bare line feeds in text files',
	withoutFeature: mail => ({
		...mail,
		files: mail.files.map(file =>
			file.contentType.startsWith('text/') ? {...file, content: canonical(file.content)} : file,
		),
	}),
};

/** @param {string} content in Base64 */
function canonical(content) {
	const text = Buffer.from(content, 'base64').toString('latin1');
	return Buffer.from(text.replaceAll(/\r?\n/g, '\r\n'), 'latin1').toString('base64');
}

/** @type {Limit} */
const oneReplyTo = {
	feature: 'more than one reply-to address',
	withoutFeature: mail => ({...mail, replyTo: mail.replyTo.slice(0, 1)}),
};

/**
 * Mailgun also stores template data as custom data.
 * @type {Limit['withoutFeature']}
 */
const withCustomData = mail => (mail.template ? {...mail, metadata: texts(mail.template.data)} : mail);

/** Anymail converts custom data to strings. @type {Limit} */
const dataIsText = {
	feature: 'template data other than strings',
	withoutFeature: mail =>
		mail.template ? {...mail, template: {...mail.template, data: texts(mail.template.data)}} : mail,
};

/** @param {Readonly<Record<string, unknown>>} values */
function texts(values) {
	const entries = Object.entries(values);
	return Object.fromEntries(
		entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
	);
}

/** @type {Readonly<Record<string, SendingProgram>>} */
export const sendingPrograms = {
	'Python resend': {provider: 'resend', limits: limits.resend, prepare: () => python('python_resend.py')},
	'Python sendgrid': {provider: 'sendgrid', limits: limits.sendgrid, prepare: () => python('python_sendgrid.py')},
	'boto3 sesv2': {provider: 'ses', limits: limits.sesv2, prepare: () => python('python_boto3.py', 'sesv2')},
	'boto3 ses': {provider: 'ses', limits: limits.ses, prepare: () => python('python_boto3.py', 'ses')},
	postmarker: {provider: 'postmark', limits: limits.postmark, prepare: () => python('python_postmarker.py')},
	'Anymail by Resend': {
		provider: 'resend',
		limits: [inHeaders],
		without: ['a template'],
		prepare: () => python('python_anymail.py', 'resend'),
	},
	'Anymail by SES': {
		provider: 'ses',
		limits: [inHeaders, mailLineEnds],
		prepare: () => python('python_anymail.py', 'ses'),
	},
	'Anymail by SendGrid': {
		provider: 'sendgrid',
		limits: limits.sendgrid,
		prepare: () => python('python_anymail.py', 'sendgrid'),
	},
	'Anymail by Postmark': {
		provider: 'postmark',
		limits: limits.postmark,
		prepare: () => python('python_anymail.py', 'postmark'),
	},
	'Anymail by Mailgun': {
		provider: 'mailgun',
		limits: [...limits.mailgun, dataIsText],
		shown: withCustomData,
		prepare: () => python('python_anymail.py', 'mailgun'),
	},
	'resend-go': {provider: 'resend', limits: [...limits.resend, oneReplyTo], prepare: () => go('resend')},
	'aws-sdk-go-v2 sesv2': {provider: 'ses', limits: limits.sesv2, prepare: () => go('ses')},
	'sendgrid-go': {provider: 'sendgrid', limits: limits.sendgrid, prepare: () => go('sendgrid')},
	'mrz1836/postmark': {provider: 'postmark', limits: limits.postmark, prepare: () => go('postmark')},
	'mailgun-go': {provider: 'mailgun', limits: limits.mailgun, shown: withCustomData, prepare: () => go('mailgun')},
};

/**
 * @param {string} name
 * @param {readonly string[]} args
 */
function python(name, ...args) {
	const folder = path.join(installed, 'python');
	const program = path.join(folder, 'bin/python');
	if (!existsSync(path.join(folder, 'complete'))) {
		mkdirSync(installed, {recursive: true});
		run('python3', '-m', 'venv', folder);
		run(program, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages);
		mkdirSync(path.join(folder, 'complete'));
	}

	return [program, path.join(programs, name), ...args];
}

/** @param {string} provider */
function go(provider) {
	const folder = path.join(installed, 'go-sending');
	cpSync(path.join(programs, 'go'), folder, {recursive: true});
	run('go', '-C', folder, 'build', '-mod=mod', '-o', 'send', '.');
	return [path.join(folder, 'send'), provider];
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(command, ...args) {
	execFileSync(command, args, {stdio: ['ignore', 'ignore', 'pipe'], timeout: 600_000});
}
