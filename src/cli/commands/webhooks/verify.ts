import {buffer} from 'node:stream/consumers';
import type {Command} from 'commander';
import {bodySignatureProblem, standardSignatureProblem} from '../../../contract/webhook-signature.js';
import {webhookHeaders} from '../../../contract/webhooks.js';
import type {Context} from '../../context.js';
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
	const command = webhooks.command('verify').description('check the signature of the webhook body on stdin');
	addSecretOrVariable(
		addExamples(
			command,
			'tinbox webhooks verify --secret-file secret --signature "$X_TINBOX_SIGNATURE" < body.json',
			'tinbox webhooks verify --secret-file secret --id "$ID" --timestamp "$TIME" --signature "$SIGNATURE" < body.json',
		)
			.requiredOption(
				'--signature <text>',
				`${webhookHeaders.bodySignature}, or ${webhookHeaders.signature} together with the next two`,
			)
			.option('--id <id>', webhookHeaders.id)
			.option('--timestamp <seconds>', webhookHeaders.timestamp),
	)
		.addHelpText('after', 'Exits with 0 when the signature is right, and with 6 when it is not.')
		.action(async (flags: VerifyFlags) => verify(flags, context));
}

async function verify({signature, id, timestamp, ...flags}: VerifyFlags, {io, env, now}: Context): Promise<void> {
	if ((id === undefined) !== (timestamp === undefined)) {
		throw usageError(`--id and --timestamp go together: ${webhookHeaders.signature} covers both.`);
	}

	const secret = await secretOrVariable(flags, env);
	if (secret === undefined) {
		throw usageError('There is no secret to check with.', 'Give it by TINBOX_WEBHOOK_SECRET or --secret-file.');
	}

	if (io.stdin.isTTY) {
		throw usageError('The body is read from stdin, as it was received.', 'Put it there: … < body.json');
	}

	const body = await buffer(io.stdin);
	const problem =
		id === undefined || timestamp === undefined
			? bodySignatureProblem(secret, body, signature)
			: standardSignatureProblem(secret, body, {id, timestamp, signature}, now());
	if (problem !== undefined) {
		throw new Exit(exitCodes.conditionFailed, 'wrong_signature', problem);
	}

	noteOnTerminal(io, 'The signature is right.');
}
