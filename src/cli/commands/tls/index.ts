import {X509Certificate} from 'node:crypto';
import type {Command} from 'commander';
import type {DaemonBody} from '../../../contract/daemon.js';
import {fieldsOf} from '../../../contract/field-names.js';
import {hostPort} from '../../../lib/io/hosts.js';
import type {Context} from '../../context.js';
import {addHelpNote} from '../../help/layout.js';
import {addExamples, type JsonFlag, jsonOption} from '../../options.js';
import {printExports, printJson, printProperties} from '../../output/print.js';
import {authorityOf} from '../../trust/authority.js';
import {trustEnv, trustVariables} from '../../trust/trust-env.js';
import {addTrust, addUntrust} from './trust.js';

export function addTlsCommands(tls: Command, context: Context): void {
	addShow(tls, context);
	addCa(tls, context);
	addEnv(tls, context);
	addTrust(tls, context);
	addUntrust(tls, context);
}

type TlsReport = Pick<DaemonBody['tls'], 'mode' | 'smtps' | 'https_url'> & {
	/** Where STARTTLS is offered, unless the mode is `off`. */
	readonly smtp: {readonly host: string; readonly port: number};
	/** Whom the authority's certificate names. */
	readonly subject: string;
	/** SHA-256, as browsers and OpenSSL print it. */
	readonly fingerprint: string;
	/** ISO 8601. */
	readonly expires_at: string;
	/** All that the authority can vouch for: domains with all below them, and ranges of addresses. */
	readonly names: readonly string[];
};

const fields = fieldsOf<TlsReport>()('mode smtp smtps https_url subject fingerprint expires_at names');

function addShow(tls: Command, context: Context): void {
	tls
		.command('show')
		.description('show the TLS ports and the certificate authority (CA)')
		.addOption(jsonOption(fields))
		.action(async ({json}: JsonFlag) => {
			const {io} = context;
			const body = await describe(context);
			if (json) {
				printJson(io, body, json);
			} else {
				const {smtp, smtps, names} = body;
				const shown = {smtp: hostPort(smtp), smtps: smtps && hostPort(smtps), names: names.join(' ')};
				printProperties(io, {...body, ...shown});
			}
		});
}

async function describe(context: Context): Promise<TlsReport> {
	const {smtp, tls} = await (await context.api()).daemon.get();
	const authority = new X509Certificate(await authorityOf(context));
	const {constraintsOf} = await import('../../../tls/names.js');
	const {subject, fingerprint256, validTo} = authority;
	return {
		mode: tls.mode,
		smtp: {host: smtp.host, port: smtp.port},
		smtps: tls.smtps,
		https_url: tls.https_url,
		subject: subject.split('\n').join(', '),
		fingerprint: fingerprint256,
		expires_at: new Date(validTo).toISOString(),
		names: constraintsOf(authority) ?? [],
	};
}

function addCa(tls: Command, context: Context): void {
	addExamples(tls.command('ca').description('print the CA certificate in PEM format'), 'tinbox tls ca > ca.pem').action(
		async () => {
			context.io.stdout.write(await authorityOf(context));
		},
	);
}

function addEnv(tls: Command, context: Context): void {
	const command = tls.command('env').description('print variables that make programs trust the CA, for eval');
	addHelpNote(
		command,
		'The variables name files with the CA of the daemon and all authorities that are already trusted: by the system, or through earlier values of these variables. Node.js, Python, Go, Java, Rust, PHP, Ruby, curl, OpenSSL and the AWS SDKs read them at start.',
	);
	addExamples(command, 'eval "$(tinbox tls env)"')
		.addOption(jsonOption(trustVariables))
		.action(async ({json}: JsonFlag) => {
			const {io, env, paths} = context;
			const variables = await trustEnv(await authorityOf(context), env, paths);
			if (json) {
				printJson(io, variables, json);
			} else {
				printExports(io, variables);
			}
		});
}
