import {buffer} from 'node:stream/consumers';
import type {Command} from 'commander';
import {bodySignatureProblem, standardSignatureProblem} from '../../../lib/webhook-signature.js';
import type {Context} from '../../context.js';
import {addExamples} from '../../examples.js';
import {Exit, exitCodes, usageError} from '../../exit.js';
import {noteOnTerminal} from '../../output.js';
import {addSecretOrVariable, type SecretFlags, secretOrVariable} from './secret.js';

export type VerifyOptions = SecretFlags & {
	readonly signature: string;
	readonly id?: string;
	readonly timestamp?: string;
};

export function addVerify(parent: Command, context: Context, run = runVerify): void {
	const command = parent.command('verify').description('check the signature of the webhook body on stdin');
	addSecretOrVariable(
		addExamples(
			command,
			'tinbox webhooks verify --secret-file secret --signature "$X_TINBOX_SIGNATURE" < body.json',
			'tinbox webhooks verify --secret-file secret --id "$ID" --timestamp "$TIME" --signature "$SIGNATURE" < body.json',
		)
			.requiredOption('--signature <text>', 'X-Tinbox-Signature, or webhook-signature together with the next two')
			.option('--id <id>', 'webhook-id')
			.option('--timestamp <seconds>', 'webhook-timestamp'),
	)
		.addHelpText('after', 'Exits with 0 when the signature is right, and with 6 when it is not.')
		.action(async (options: VerifyOptions) => run(options, context));
}

export async function runVerify(options: VerifyOptions, {io, env, now}: Context): Promise<void> {
	const {signature, id, timestamp} = options;
	if ((id === undefined) !== (timestamp === undefined)) {
		throw usageError('--id and --timestamp go together: webhook-signature covers both.');
	}

	const secret = await secretOrVariable(options, env);
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
