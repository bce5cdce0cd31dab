import fc from 'fast-check';
import {MailParser} from 'mailparser';
import {expect, test} from 'vitest';
import {readAttachment, readContent} from '../../../../src/mime/parse/content.js';
import type {SplitChunk} from '../../../../src/mime/parse/mailsplit.js';
import {PartFinder} from '../../../../src/mime/parse/part-finder.js';
import {sourceOf} from '../test-parser.js';

/** A generated part. */
type Part = Leaf | Container;

type Leaf = {readonly kind: 'text' | 'named text' | 'file' | 'base64' | 'mail'; readonly lines: readonly string[]};

type Container = {
	readonly kind: 'container';
	readonly subtype: string;
	/** End of the boundary. */
	readonly suffix: string;
	readonly padding: string;
	readonly preamble: string;
	readonly isClosed: boolean;
	readonly epilogue: string;
	readonly parts: readonly Part[];
};

/** Expected texts and files of a mail. */
type Expected = {readonly texts: string[]; readonly files: string[]};

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
		preamble: fc.constantFrom('', 'before', '--'),
		isClosed: fc.boolean(),
		epilogue: fc.constantFrom('', 'behind', '\n--b0'),
		parts: fc.array(tie('part'), {maxLength: 4}),
	}),
}));

type Written = {readonly type: string; readonly body: string; readonly header?: readonly string[]};

/** Writes a part and adds its texts and files to `expected`. */
function write(part: Part, expected: Expected, eol: string, nextBoundary: () => string): string {
	const isContainer = part.kind === 'container';
	const written = isContainer ? writeContainer(part, expected, eol, nextBoundary) : writeLeaf(part, expected, eol);
	return [`Content-Type: ${written.type}`, ...(written.header ?? []), '', written.body].join(eol);
}

function writeLeaf({kind, lines}: Leaf, {texts, files}: Expected, eol: string): Written {
	const body = ['begin', ...lines].join(eol);
	const bytes = Buffer.from(body).toString('latin1');
	if (kind === 'text') {
		texts.push(body.replaceAll('\r\n', '\n'));
		return {type: 'text/plain; charset=utf-8', body};
	}

	if (kind === 'named text') {
		// The first text is also the body.
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

function writeContainer(part: Container, expected: Expected, eol: string, nextBoundary: () => string): Written {
	const boundary = nextBoundary() + part.suffix;
	const parts = part.parts.length === 0 ? [{kind: 'text', lines: []} as const] : part.parts;
	const lines = parts.flatMap(child => [`--${boundary}${part.padding}`, write(child, expected, eol, nextBoundary)]);
	const preamble = part.preamble === '' ? [] : [part.preamble];
	const end = part.isClosed ? [`--${boundary}--${part.padding}`, part.epilogue] : [];
	return {type: `multipart/${part.subtype}; boundary="${boundary}"`, body: [...preamble, ...lines, ...end].join(eol)};
}

/** Generated mails with their expected content. */
const mails = fc.record({root: container, eol: fc.constantFrom('\r\n', '\n')}).map(({root, eol}) => {
	const expected: Expected = {texts: [], files: []};
	let boundaries = 0;
	const mail = write(root, expected, eol, () => `b${++boundaries}q`);
	return {mail: Buffer.from(mail), expected};
});

test('parts in any nesting are read as written', async () => {
	await fc.assert(
		fc.asyncProperty(mails, async ({mail, expected}) => {
			const {text, attachments} = await readContent(sourceOf(mail));
			expect(text).toBe(expected.texts.join('\n'));
			const files = await Promise.all(attachments.map(async ({id}) => readAttachment(sourceOf(mail), id)));
			expect(files.map(bytes => bytes?.toString('latin1'))).toEqual(expected.files);
			expect(attachments.map(({size}) => size)).toEqual(expected.files.map(({length}) => length));
		}),
		{numRuns: 100},
	);
});

test('parts do not depend on the pieces of a mail', async () => {
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

test('parts are the same in a mail cut into three pieces at any positions', async () => {
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

/** The parts of a mail in order with their bodies. */
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
