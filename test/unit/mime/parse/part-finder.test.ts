import fc from 'fast-check';
import {MailParser} from 'mailparser';
import {expect, test} from 'vitest';
import {readAttachment, readContent} from '../../../../src/mime/parse/content.js';
import type {SplitChunk} from '../../../../src/mime/parse/mailsplit.js';
import {PartFinder} from '../../../../src/mime/parse/part-finder.js';
import {sourceOf} from '../mime-test.js';

/** A part as it is meant. */
type Part = Leaf | Container;

type Leaf = {readonly kind: 'text' | 'named text' | 'file' | 'base64' | 'mail'; readonly lines: readonly string[]};

type Container = {
	readonly kind: 'container';
	readonly subtype: string;
	/** Ends the boundary, and what stands behind it in its lines. */
	readonly suffix: string;
	readonly padding: string;
	readonly before: string;
	readonly isClosed: boolean;
	readonly behind: string;
	readonly parts: readonly Part[];
};

/** What the parts of a mail say, as they are read. */
type Meaning = {readonly texts: string[]; readonly files: string[]};

const line = fc.constantFrom(
	'',
	'x',
	'-- ',
	'--',
	'--b',
	'---',
	' --b1',
	'--b1 x',
	'--c--',
	'> x',
	'X: y',
	'.',
	'=41',
	'é',
);
const leaf: fc.Arbitrary<Leaf> = fc.record({
	kind: fc.constantFrom('text', 'named text', 'file', 'base64', 'mail'),
	lines: fc.array(line, {maxLength: 5}),
});
const padding = fc.constantFrom('', '', ' ', '\t', ' \t  ');

const {container} = fc.letrec<{part: Part; container: Container}>(tie => ({
	part: fc.oneof({depthSize: 'small', withCrossShrink: true}, leaf, tie('container')),
	container: fc.record({
		kind: fc.constant('container'),
		subtype: fc.constantFrom('mixed', 'related', 'report', 'digest'),
		suffix: fc.constantFrom('', '-', '--', '=_x', ' x'),
		padding,
		before: fc.constantFrom('', 'before', '--'),
		isClosed: fc.boolean(),
		behind: fc.constantFrom('', 'behind', '\n--b0'),
		parts: fc.array(tie('part'), {maxLength: 4}),
	}),
}));

type Written = {readonly type: string; readonly body: string; readonly header?: readonly string[]};

/** Writes a part, and adds what it means. */
function write(part: Part, meaning: Meaning, eol: string, nextBoundary: () => string): string {
	const isContainer = part.kind === 'container';
	const written = isContainer ? writeContainer(part, meaning, eol, nextBoundary) : writeLeaf(part, meaning, eol);
	return [`Content-Type: ${written.type}`, ...(written.header ?? []), '', written.body].join(eol);
}

function writeLeaf({kind, lines}: Leaf, {texts, files}: Meaning, eol: string): Written {
	const body = ['begin', ...lines].join(eol);
	const bytes = Buffer.from(body).toString('latin1');
	if (kind === 'text') {
		texts.push(body.replaceAll('\r\n', '\n'));
		return {type: 'text/plain; charset=utf-8', body};
	}

	if (kind === 'named text') {
		// As the first text it is the body, too.
		texts.push(...(texts.length === 0 ? [body.replaceAll('\r\n', '\n')] : []));
		files.push(bytes);
		return {type: 'text/plain; charset=utf-8; name=a.txt', body, header: ['Content-Disposition: inline']};
	}

	if (kind === 'base64') {
		files.push(bytes);
		const encoded = Buffer.from(body).toString('base64').replace(/.{7}/g, `$&${eol}`);
		return {type: 'application/x-file', body: encoded, header: ['Content-Transfer-Encoding: base64']};
	}

	files.push(bytes);
	return {type: kind === 'mail' ? 'message/rfc822' : 'application/x-file', body};
}

function writeContainer(part: Container, meaning: Meaning, eol: string, nextBoundary: () => string): Written {
	const boundary = nextBoundary() + part.suffix;
	const parts = part.parts.length === 0 ? [{kind: 'text', lines: []} as const] : part.parts;
	const lines = parts.flatMap(child => [`--${boundary}${part.padding}`, write(child, meaning, eol, nextBoundary)]);
	const before = part.before === '' ? [] : [part.before];
	const end = part.isClosed ? [`--${boundary}--${part.padding}`, part.behind] : [];
	return {type: `multipart/${part.subtype}; boundary="${boundary}"`, body: [...before, ...lines, ...end].join(eol)};
}

/** A mail of such parts, and what it means. */
const mails = fc.record({root: container, eol: fc.constantFrom('\r\n', '\n')}).map(({root, eol}) => {
	const meaning: Meaning = {texts: [], files: []};
	let boundaries = 0;
	const mail = write(root, meaning, eol, () => `b${++boundaries}q`);
	return {mail: Buffer.from(mail), meaning};
});

test('parts in any nesting are read as they were written', async () => {
	await fc.assert(
		fc.asyncProperty(mails, async ({mail, meaning}) => {
			const {text, attachments} = await readContent(sourceOf(mail));
			expect(text).toBe(meaning.texts.join('\n'));
			const files = await Promise.all(attachments.map(async ({id}) => readAttachment(sourceOf(mail), id)));
			expect(files.map(bytes => bytes?.toString('latin1'))).toEqual(meaning.files);
			expect(attachments.map(({size}) => size)).toEqual(meaning.files.map(({length}) => length));
		}),
		{numRuns: 100},
	);
});

test('parts are the same in whatever pieces a mail comes', async () => {
	const cut = fc.array(fc.nat({max: 2000}), {maxLength: 8});
	await fc.assert(
		fc.asyncProperty(mails, cut, async ({mail}, cuts) => {
			const whole = await split([mail]);
			const ends = [...cuts.filter(at => at < mail.length).sort((a, b) => a - b), mail.length];
			expect(await split(ends.map((end, index) => mail.subarray(ends[index - 1] ?? 0, end)))).toEqual(whole);
			expect(await split([...mail].map(byte => Buffer.of(byte)))).toEqual(whole);
		}),
		{numRuns: 100},
	);
});

test('parts are the same wherever a mail is cut in three', async () => {
	const header = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';
	const mail = Buffer.from(`${header}--b\r\n\r\nab\r\n--b \r\nA: b\r\n\r\nab\r\n-\r\n\r\n--b--`);
	const whole = await split([mail]);
	for (let first = header.length; first < mail.length; first++) {
		for (let second = first; second < mail.length; second++) {
			const pieces = [mail.subarray(0, first), mail.subarray(first, second), mail.subarray(second)];
			expect(await split(pieces)).toEqual(whole);
		}
	}
});

/** The parts of a mail in their order, each with its body. */
async function split(pieces: readonly Buffer[]): Promise<Array<{type: string | false; body: string}>> {
	const {splitter} = new MailParser();
	const parts: Array<{type: string | false; body: string}> = [];
	splitter.push = (chunk: SplitChunk) => {
		const last = parts.at(-1);
		if (chunk.type === 'node') {
			parts.push({type: chunk.contentType, body: ''});
		} else if (chunk.type === 'body' && last) {
			last.body += chunk.value.toString('latin1');
		}

		return true;
	};
	const finder = new PartFinder(splitter);
	for (const piece of pieces) {
		splitter._transform(piece, 'buffer', error => expect(error).toBeUndefined());
	}

	splitter._flush(error => expect(error).toBeUndefined());
	return [...parts, {type: 'closed', body: String(finder.closed.size)}];
}
