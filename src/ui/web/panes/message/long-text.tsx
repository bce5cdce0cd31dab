import {addressesIn} from '../../../../lib/web-addresses.js';

/** Characters of a block, about: the browser lays out those in view alone. */
const blockLength = 8192;

/** A long text as it is, in blocks of whole lines; its web addresses can be clicked if that is wanted. */
export function LongText({text, isLinked = false}: {readonly text: string; readonly isLinked?: boolean}) {
	return (
		<pre class="long-text">
			{blocksOf(text).map((block, index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a text never changes
				<span key={index} class="block">
					{isLinked ? <Linked text={block} /> : block}
				</span>
			))}
		</pre>
	);
}

/** The text in pieces that end with lines. */
export function blocksOf(text: string): readonly string[] {
	const blocks: string[] = [];
	for (let start = 0; start < text.length; ) {
		const end = text.length - start <= blockLength ? text.length : text.indexOf('\n', start + blockLength) + 1;
		blocks.push(text.slice(start, end || text.length));
		start = end || text.length;
	}

	return blocks;
}

function Linked({text}: {readonly text: string}) {
	const pieces: (string | ReturnType<typeof OutsideLink>)[] = [];
	let end = 0;
	for (const {url, index} of addressesIn(text)) {
		pieces.push(text.slice(end, index), <OutsideLink url={url} />);
		end = index + url.length;
	}

	return <>{[...pieces, text.slice(end)]}</>;
}

/** A link of a mail: it opens beside the page, and tells nobody from where it was clicked. */
export function OutsideLink({url, children = url}: {readonly url: string; readonly children?: string}) {
	return (
		<a href={url} target="_blank" rel="noopener noreferrer">
			{children}
		</a>
	);
}
