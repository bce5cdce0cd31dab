import {buffer} from 'node:stream/consumers';
import type {Command} from 'commander';
import {webhookHeaders} from '../../../contract/constants.js';
import {bodySignatureProblem, standardSignatureProblem} from '../../../contract/webhook-signature.js';
import type {Context} from '../../context.js';
import {addHelpNote} from '../../help/layout.js';
import {addExamples} from '../../options.js';
import {Exit, exitCodes, usageError} from '../../output/exit.js';
import {noteOnTerminal} from '../../output/print.js';
import {addSecretOrVariable, type SecretFlags, secretOrVariable} from './secret.js';

type VerifyFlags = SecretFlags & {
	readonly signature: string;
	readonly id?: string;
	readonly timestamp?: string;
};

export function addVerify(webhooks: Command, context: Context): void {
	const command = webhooks.command('verify').description('verify the signature of a webhook body on stdin');
	addHelpNote(command, 'The exit code is 0 if the signature is valid, and 6 if not.');
	addSecretOrVariable(
		addExamples(
			command,
			'tinbox webhooks verify --secret-file secret --signature "$SIG" < body.json',
			'tinbox webhooks verify --id "$ID" --timestamp "$TS" --signature "$SIG" < body',
		)
			.requiredOption(
				'--signature <text>',
				`value of ${webhookHeaders.bodySignature}, or of ${webhookHeaders.signature} with --id and --timestamp`,
			)
			.option('--id <id>', `value of ${webhookHeaders.id}`)
			.option('--timestamp <seconds>', `value of ${webhookHeaders.timestamp}`),
	).action(async (flags: VerifyFlags) => verify(flags, context));
}

async function verify({signature, id, timestamp, ...flags}: VerifyFlags, {io, env, now}: Context): Promise<void> {
	if ((id === undefined) !== (timestamp === undefined)) {
		throw usageError(`--id and --timestamp must be used together: ${webhookHeaders.signature} signs both.`);
	}

	const secret = await secretOrVariable(flags, env);
	if (secret === undefined) {
		throw usageError('The signing secret is missing.', 'Set TINBOX_WEBHOOK_SECRET or use --secret-file.');
	}

	if (io.stdin.isTTY) {
		throw usageError('The body is read from stdin.', 'Redirect it, as received: … < body.json');
	}

	const body = await buffer(io.stdin);
	const problem =
		id === undefined || timestamp === undefined
			? bodySignatureProblem(secret, body, signature)
			: standardSignatureProblem(secret, body, {id, timestamp, signature}, now());
	if (problem !== undefined) {
		throw new Exit(exitCodes.conditionFailed, 'wrong_signature', problem);
	}

	noteOnTerminal(io, 'The signature is valid.');
}
