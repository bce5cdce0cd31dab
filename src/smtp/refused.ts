import type {RefusalStage} from '../contract/constants.js';

/** What a command is about, by its first four letters as a number; all others are about the connection. */
const stages = new Map<number, RefusalStage>(
	(['auth', 'mail', 'rcpt', 'data'] as const).map(stage => [Buffer.from(stage).readInt32BE(), stage]),
);

/** Makes four letters small. */
const smallLetters = 0x20202020;

/** How sessions are told that they end. */
export const farewells = {stopping: 'Server shutting down', overdue: 'Session time limit exceeded'} as const;

/** With that of the library to silent ones: while no mail is under way they refuse nothing. */
const quiet: readonly string[] = [...Object.values(farewells), 'Timeout - closing connection'];

/** What a session is at that begins this command. */
export function commandStage(command: Buffer): RefusalStage {
	return (command.length >= 4 && stages.get(command.readInt32BE() | smallLetters)) || 'connect';
}

/** The address in a command, as far as it can be read; null when it names none. */
export function addressIn(command: Buffer | string): string | null {
	return /:\s*<?([^<>]*)/.exec(command.toString())?.[1] ?? null;
}

/**
 * Whether a negative reply refuses something, when a mail is under way or not. One that follows from an earlier refusal does
 * not, as to the DATA that a client sent along with recipients that were refused.
 */
export function refuses(stage: RefusalStage, isMail: boolean, code: number, text: string): boolean {
	const follows = (stage === 'rcpt' && !isMail) || (stage === 'data' && (!isMail || code === 503));
	return !follows && (isMail || !quiet.includes(text));
}
