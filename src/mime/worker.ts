/** The worker thread in which all mail is read, one task after another. */
import {Readable} from 'node:stream';
import {parentPort} from 'node:worker_threads';
import {extractCodes} from '../domain/extract/codes.js';
import {extractLinks, linksLike} from '../domain/extract/links.js';
import {contentChecksOf, explain} from '../domain/filter.js';
import {parsePattern, substring} from '../domain/pattern.js';
import {reasonOf} from '../lib/reason-of.js';
import {readAttachment, readContent} from './content.js';
import {decodeFields, splitHeader} from './header-section.js';
import {textOfHtml} from './html-text.js';
import type {Piece} from './pieces.js';
import {createSummarizer} from './summary.js';
import type {Order, Report, TaskName, Tasks} from './tasks.js';

type Perform = {
	readonly [Name in TaskName]: (
		input: Tasks[Name]['input'],
		source: Readable,
	) => Tasks[Name]['output'] | Promise<Tasks[Name]['output']>;
};

const summarize = createSummarizer();

const perform: Perform = {
	summarize: ({bytes, ends}) => {
		const heads = Buffer.from(bytes.buffer);
		return ends.map((end, index) => summarize(heads.subarray(ends[index - 1] ?? 0, end)));
	},
	readHeaders: head => decodeFields(splitHeader(Buffer.from(head))),
	readContent: (_input, source) => readContent(source),
	readAttachment: (id, source) => readAttachment(source, id),
	textOfHtml,
	find: ({link, ...bodies}) => ({
		codes: extractCodes(bodies),
		links: linksLike(extractLinks(bodies), link === undefined ? substring('') : parsePattern(link)),
	}),
	explain: ({content, filter}) => explain(contentChecksOf(filter), content),
};

let source = new Readable();

function report(what: Report): void {
	parentPort?.postMessage(what);
}

/** Hands the task another piece of its source; undefined when there is none. */
function feed(piece: Piece | undefined): void {
	source.push(piece?.bytes ?? null);
	if (piece?.isLast) {
		source.push(null);
	}
}

parentPort?.on('message', async (order: Order) => {
	if (order.kind === 'source') {
		feed(order.piece);
		return;
	}

	source = new Readable({read: () => report({kind: 'more'})});
	feed(order.piece);
	try {
		const output = await perform[order.name](order.input as never, source);
		source.destroy();
		report({kind: 'done', output});
	} catch (error) {
		report({kind: 'failed', reason: reasonOf(error)});
	}
});

report({kind: 'ready'});
