import {useState} from 'preact/hooks';
import type {FullMessageBody} from '../../../../contract/messages.js';
import {addressesIn} from '../../../../lib/text/links.js';
import {sanitizeLine, showControls} from '../../../../lib/text/sanitize.js';
import {formatSize} from '../../../../lib/text/units.js';
import {maxShownSource} from '../../actions/message.js';
import type {OpenMessage} from '../../state/route.js';
import {CopyButton} from '../copy-button.js';
import {MarkedText} from '../panes.js';
import {More, PartView, usePart} from './part.js';

/** Approximate number of characters per block. The browser lays out only blocks in view. */
const blockLength = 8192;

/** Preformatted long text in blocks of whole lines; `isLinked` makes its URLs links. */
export function LongText({text, isLinked = false}: {readonly text: string; readonly isLinked?: boolean}) {
	return (
		<pre class="long-text">
			{blocksOf(text).map((block, index) => (
				<span key={index} class="block">
					{isLinked ? <Linked text={block} /> : block}
				</span>
			))}
		</pre>
	);
}

/** Splits a text into blocks of whole lines. */
function blocksOf(text: string): readonly string[] {
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

/** Link of a mail, opened in a new tab without a referrer. */
export function OutsideLink({url, children = url}: {readonly url: string; readonly children?: string}) {
	return (
		<a href={url} target="_blank" rel="noopener noreferrer">
			{children}
		</a>
	);
}

/** Maximum number of characters that are shown; the source has all of them. */
const maxText = 512 * 1024;

export function TextTab({message: {text}}: {readonly message: FullMessageBody}) {
	if (text === '') {
		return <p class="empty">This message has no text.</p>;
	}

	return (
		<>
			{text.length > maxText && (
				<p class="warning">
					Showing the start of {text.length.toLocaleString('en')} characters. Download the .eml to see all.
				</p>
			)}
			<LongText text={text.slice(0, maxText)} isLinked />
		</>
	);
}

/** Beginning of the source, with visible control characters. */
export function SourceTab({open, size}: {readonly open: OpenMessage; readonly size: number | undefined}) {
	return (
		<PartView open={open} name="source" part={usePart(open, 'source')} what="the source">
			{source => (
				<>
					{(size === undefined ? source.length >= maxShownSource : size > maxShownSource) && (
						<p class="warning">Showing the first {formatSize(maxShownSource)}. Download the .eml to see all.</p>
					)}
					<LongText text={showControls(source)} />
				</>
			)}
		</PartView>
	);
}

const headerStep = 200;

/** Header fields in their order, with a search in names and values. */
export function HeadersTab({message: {headers}}: {readonly message: FullMessageBody}) {
	const [search, setSearch] = useState('');
	const wanted = search.toLowerCase();
	const found = headers.filter(({name, value}) => `${name}: ${value}`.toLowerCase().includes(wanted));
	return (
		<>
			<div class="bar">
				<input
					type="search"
					aria-label="Search headers"
					placeholder="Search headers"
					value={search}
					onInput={({currentTarget}) => setSearch(currentTarget.value)}
				/>
				<p class="note" role="status">
					{search === '' ? `${headers.length}` : `${found.length} of ${headers.length}`}
				</p>
			</div>
			{headers.length === 0 && <p class="empty">This message has no headers.</p>}
			<More key={search} rows={found} step={headerStep}>
				{rows => (
					<dl class="fields">
						{rows.map(({name, value}, index) => (
							<div key={index}>
								<dt>
									<MarkedText text={cut(sanitizeLine(name))} filter={search} />
								</dt>
								<dd>
									<MarkedText text={cut(showControls(value))} filter={search} />
								</dd>
								<dd class="copy">
									<CopyButton text={value} what={sanitizeLine(name)} />
								</dd>
							</div>
						))}
					</dl>
				)}
			</More>
		</>
	);
}

/** Maximum number of characters of a value that are shown. */
const maxValue = 20_000;

function cut(value: string): string {
	return value.length > maxValue ? `${value.slice(0, maxValue)}…` : value;
}
