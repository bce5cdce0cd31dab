import type {ComponentChildren} from 'preact';
import {useCallback, useEffect, useRef, useState} from 'preact/hooks';
import {type InlineForm, inlineType} from '../../../../contract/inline.js';
import type {AttachmentBody, FullMessageBody} from '../../../../contract/messages.js';
import {addressesIn, hasRemoteImages} from '../../../../lib/text/links.js';
import {sanitizeLine, showControls} from '../../../../lib/text/sanitize.js';
import {formatSize} from '../../../../lib/text/units.js';
import {maxShownSource} from '../../actions/open-message.js';
import {useSelector, useWeb} from '../../context.js';
import type {OpenMessage} from '../../state/route.js';
import {type FrameWidth, frameWidths} from '../../state/state.js';
import {CopyButton, MarkedText} from '../panes.js';
import {FailedPart, type MessageProps, More, PartView, pathOf, usePart} from './part.js';

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
function OutsideLink({url, children = url}: {readonly url: string; readonly children?: string}) {
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
			<div class="bar row">
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

/** HTML of the message in a sandboxed frame. */
export function HtmlTab({open, message, preview}: MessageProps) {
	const [withImages, setWithImages] = useState(false);
	const width = useSelector(({message}) => message.width);
	return (
		<>
			<WidthSwitch width={width} />
			{(withImages || hasRemoteImages(message.html)) && (
				<p class="remote">
					{withImages ? 'Remote images loaded. ' : 'Remote images are blocked. '}
					<button type="button" class="link" onClick={() => setWithImages(!withImages)}>
						{withImages ? 'Block again' : 'Load images'}
					</button>
					{!withImages && " (this contacts the sender's server)"}
				</p>
			)}
			<PartView open={open} name="preview" part={preview} what="the HTML">
				{({path}) => <MailFrame key={String(withImages)} path={path} withImages={withImages} width={width} />}
			</PartView>
		</>
	);
}

function WidthSwitch({width}: {readonly width: FrameWidth}) {
	const {store} = useWeb();
	const choose = (chosen: FrameWidth) => store.update(({message}) => ({message: {...message, width: chosen}}));
	return (
		<fieldset class="choice">
			<legend class="visually-hidden">Width</legend>
			{(['phone', 'tablet', 'desktop'] as const).map(name => (
				<label key={name}>
					<input
						class="visually-hidden"
						type="radio"
						name="width"
						checked={name === width}
						onChange={() => choose(name)}
					/>
					<span>{`${name.charAt(0).toUpperCase()}${name.slice(1)}`}</span>
				</label>
			))}
		</fieldset>
	);
}

/** Maximum height of the frame in pixels; higher content scrolls. */
const maxHeight = 30_000;

type MailFrameProps = {readonly path: string; readonly withImages: boolean; readonly width: FrameWidth};

/**
 * Frame with the HTML. The height of a sandboxed document cannot be read, so a second, invisible frame is measured, which runs no
 * scripts and loads nothing either.
 */
function MailFrame({path, withImages, width}: MailFrameProps) {
	// The frame keeps its URL when the preview is renewed.
	const [shown] = useState(path);
	const [height, setHeight] = useState<number>();
	const measured = useRef<HTMLIFrameElement>(null);
	const isLoaded = useRef(false);
	const adjust = useCallback(() => {
		const content = measured.current?.contentDocument?.scrollingElement;
		if (isLoaded.current && content && content.scrollHeight > 0) {
			const scrollbar = content.scrollWidth > content.clientWidth ? 20 : 0;
			setHeight(Math.min(content.scrollHeight + scrollbar + 2, maxHeight));
		}
	}, []);
	useEffect(() => {
		const frame = measured.current;
		if (frame === null) {
			return undefined;
		}

		const observer = new ResizeObserver(adjust);
		observer.observe(frame);
		return () => observer.disconnect();
	}, [adjust]);
	const style = {width: frameWidths[width] === undefined ? '100%' : `${frameWidths[width]}px`};
	const minHeight = withImages ? '70vh' : undefined;
	return (
		<div class="mail-frame">
			<iframe
				title="HTML of the message"
				sandbox="allow-popups allow-popups-to-escape-sandbox"
				src={`${shown}/html${withImages ? '?remote=1' : ''}`}
				style={{...style, height: height === undefined ? undefined : `${height}px`, minHeight}}
			/>
			<iframe
				ref={measured}
				class="measured"
				title="HTML of the message, measured"
				aria-hidden="true"
				inert
				tabIndex={-1}
				scrolling="no"
				sandbox="allow-same-origin"
				src={`${shown}/html?measured=1`}
				style={style}
				onLoad={() => {
					isLoaded.current = true;
					adjust();
				}}
			/>
		</div>
	);
}

const codeStep = 100;

/** Codes and links of a message, best candidates first. */
export function CodesTab({message: {codes, links}}: {readonly message: FullMessageBody}) {
	if (codes.length + links.length === 0) {
		return <p class="empty">No codes or links.</p>;
	}

	return (
		<div class="findings">
			<Findings title="Codes" rows={codes}>
				{code => (
					<li key={code} class="finding">
						<code class="code">{code}</code>
						<CopyButton text={code} what={`the code ${code}`} />
					</li>
				)}
			</Findings>
			<Findings title="Links" rows={links}>
				{({url, text}) => <Link key={url} url={url} text={sanitizeLine(text)} />}
			</Findings>
		</div>
	);
}

type FindingsProps<Row> = {
	readonly title: string;
	readonly rows: readonly Row[];
	readonly children: (row: Row) => ComponentChildren;
};

function Findings<Row>({title, rows, children}: FindingsProps<Row>) {
	return rows.length === 0 ? null : (
		<section aria-label={title}>
			<h3>{title}</h3>
			<More rows={rows} step={codeStep}>
				{shown => <ul>{shown.map(children)}</ul>}
			</More>
		</section>
	);
}

function Link({url, text}: {readonly url: string; readonly text: string}) {
	const name = text || url;
	return (
		<li class="finding">
			<p>
				{text !== '' && <bdi class="name">{text}</bdi>}
				<span class="url cut">
					<OutsideLink url={url} />
				</span>
			</p>
			<CopyButton text={url} what={`the link ${name}`} />
			<a class="button small" href={url} target="_blank" rel="noopener noreferrer">
				Open<span class="visually-hidden"> {name}</span>
			</a>
		</li>
	);
}

const attachmentStep = 100;

/** Maximum number and size in bytes of images that are shown without a click. */
const maxOpen = 4;
const maxOpenSize = 2 * 1024 * 1024;

export function AttachmentsTab({open, message: {attachments}, preview}: MessageProps) {
	const path = pathOf(preview);
	const images = attachments.filter(({content_type: type}) => inlineType(type)?.form === 'image');
	const isOpen = ({size}: AttachmentBody) => images.length <= maxOpen && size <= maxOpenSize;
	return attachments.length === 0 ? (
		<p class="empty">No attachments.</p>
	) : (
		<>
			{preview?.status === 'failed' && <FailedPart open={open} name="preview" reason={preview.reason} />}
			<More rows={attachments} step={attachmentStep}>
				{rows => (
					<ul class="attachments">
						{rows.map(attachment => (
							<Attachment
								key={attachment.id}
								attachment={attachment}
								href={path && `${path}/attachments/${encodeURIComponent(attachment.id)}`}
								isOpen={isOpen(attachment)}
							/>
						))}
					</ul>
				)}
			</More>
		</>
	);
}

type AttachmentProps = {
	readonly attachment: AttachmentBody;
	/** URL; undefined until the preview was created. */
	readonly href: string | undefined;
	readonly isOpen: boolean;
};

function Attachment({attachment, href, isOpen}: AttachmentProps) {
	const {id, filename, content_type: type, size, disposition, content_id: contentId} = attachment;
	const form = inlineType(type)?.form;
	const [isShown, setShown] = useState(isOpen && form === 'image');
	const name = sanitizeLine(filename) || `attachment ${id}`;
	return (
		<li>
			<div class="attachment">
				<p>
					<bdi class="name">{name}</bdi>{' '}
					<span class="note">
						{sanitizeLine(type)}, {formatSize(size)}
						{disposition === 'inline' && contentId !== null && ', inline'}
					</span>
				</p>
				{(form === 'image' || form === 'drawing') && (
					<button type="button" class="small" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
						{isShown ? 'Hide' : 'Show'}
						<span class="visually-hidden"> {name}</span>
					</button>
				)}
				{form === 'pdf' && href !== undefined && (
					<a class="button small" href={inlineHref(href)} target="_blank" rel="noopener noreferrer">
						Open<span class="visually-hidden"> {name} in a new tab</span>
					</a>
				)}
				{href !== undefined && (
					<a class="button small" href={href} download>
						Download<span class="visually-hidden"> {name}</span>
					</a>
				)}
			</div>
			{isShown && href !== undefined && form !== undefined && (
				<Inline form={form} name={name} address={inlineHref(href)} />
			)}
		</li>
	);
}

/** URL for showing the attachment in isolation. */
function inlineHref(href: string): string {
	return `${href}?inline=1`;
}

function Inline({form, name, address}: {readonly form: InlineForm; readonly name: string; readonly address: string}) {
	const [isBroken, setBroken] = useState(false);
	if (isBroken) {
		return <p class="empty">The browser cannot show this file. It is damaged or has the wrong type.</p>;
	}

	return form === 'drawing' ? (
		<iframe class="drawing" title={name} sandbox="" src={address} />
	) : (
		<img class="shown" alt={name} loading="lazy" src={address} onError={() => setBroken(true)} />
	);
}
