import {runCli} from '../helpers/cli.js';
import {normalize} from './transcript.js';

/** The variables that commands export for other programs. */
export async function recordEnvironment(env: Record<string, string>, home: string): Promise<string> {
	const text = async (...args: readonly string[]) => (await runCli(env, args)).stdout;
	const exported = {
		'tinbox daemon start --format env': await text('daemon', 'start', '--format', 'env'),
		'tinbox inbox create --format env': await text('inbox', 'create', '--name', 'app', '--format', 'env'),
		'tinbox inbox credentials app --format env': await text('inbox', 'credentials', 'app', '--format', 'env'),
		'tinbox tls env': await text('tls', 'env'),
		'tinbox run -- env': await text('run', '--', 'env'),
		'tinbox run --tls --send resend,ses,sendgrid,postmark,mailgun -- env': await text(
			...['run', '--tls', '--send', 'resend,ses,sendgrid,postmark,mailgun', '--', 'env'],
		),
	};
	const sections = Object.entries(exported).map(([command, output]) => {
		const lines = output.split('\n').filter(line => /^(?:export )?[A-Z_]+=/.test(line));
		return `$ ${command}\n${lines
			.filter(line => !line.startsWith('PATH='))
			.sort()
			.join('\n')}\n`;
	});
	const temporary = /\/\S*\/tinbox-run-\w+/g;
	return normalize(sections.join('\n').replaceAll(temporary, '<run home>'), [[home, '<home>']]).replaceAll(
		/trust\/[\da-f]{16}/g,
		'trust/<fingerprint>',
	);
}
