import type {ParsedMail} from './mailparser.js';
import {partsOf} from './parts.js';

const carriageReturn = 13;
const lineFeed = 10;

/** What may stand once in a header section (RFC 5322, section 3.6), and once where a part says how it is to be read. */
const fieldsGivenOnce = [
	...['Date', 'From', 'Sender', 'Reply-To', 'To', 'Cc', 'Bcc', 'Message-ID', 'In-Reply-To', 'References', 'Subject'],
	...['Content-Type', 'Content-Transfer-Encoding'],
];

/** Sentences about what is wrong with a mail, for whoever wrote what sent it. */
export function warningsAbout(mail: ParsedMail, {hasBareFeed, hasBareReturn}: LineEnds): string[] {
	const checks: ReadonlyArray<readonly [boolean, string]> = [
		[mail.failure !== undefined, `Only a part of the mail could be parsed: ${mail.failure?.message}.`],
		[mail.failure === undefined && mail.fields.every(({key}) => key === ''), 'The mail has no header section.'],
		[
			mail.failure === undefined && !mail.isClosed,
			'The mail is truncated or malformed: its closing boundary is missing.',
		],
		[mail.isTooDeep, 'The mail has parts nested more than 100 levels deep. They are kept together as one attachment.'],
		[hasBareFeed, 'The mail has line feeds without a carriage return, which some servers reject.'],
		[hasBareReturn, 'The mail has carriage returns without a line feed, which some servers reject.'],
	];
	const problems = new Set(
		partsOf(mail.root).flatMap(({node, charsetProblem}) => [
			...(node.problems ?? []),
			...(charsetProblem ? [charsetProblem] : []),
		]),
	);
	return [
		...checks.filter(([applies]) => applies).map(([, sentence]) => sentence),
		...repetitionsIn(mail),
		...problems,
	];
}

function repetitionsIn({fields}: ParsedMail): string[] {
	return fieldsGivenOnce
		.filter(name => fields.filter(({key}) => key === name.toLowerCase()).length > 1)
		.map(name => `The header field ${name} occurs more than once. Its first value is used.`);
}

/** Watches a source go by for carriage returns and line feeds without each other (RFC 5321, section 2.3.8, forbids them). */
export class LineEnds {
	/** Whether there was a line feed without a carriage return so far. */
	hasBareFeed = false;
	/** Whether there was a carriage return without a line feed. */
	hasBareReturn = false;

	async *watch(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		let previous = 0;
		for await (const chunk of source) {
			this.#look(chunk, previous);
			previous = chunk.at(-1) ?? previous;
			yield chunk;
		}
	}

	#look(chunk: Buffer, previous: number): void {
		let {hasBareFeed, hasBareReturn} = this;
		let before = previous;
		for (let at = 0; at < chunk.length; at++) {
			const byte = chunk[at] ?? 0;
			if (byte === lineFeed) {
				hasBareFeed ||= before !== carriageReturn;
			} else if (before === carriageReturn) {
				hasBareReturn = true;
			}

			before = byte;
		}

		this.hasBareFeed = hasBareFeed;
		this.hasBareReturn = hasBareReturn;
	}
}
