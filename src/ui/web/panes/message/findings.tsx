import {useState} from 'preact/hooks';
import {type InlineForm, inlineType} from '../../../../contract/inline.js';
import type {AttachmentBody, FullMessageBody} from '../../../../contract/messages.js';
import {sanitizeLine} from '../../../../lib/text/sanitize.js';
import {formatSize} from '../../../../lib/text/units.js';
import {CopyButton} from '../copy-button.js';
import type {MessageProps} from './head.js';
import {FailedPart, More, pathOf} from './part.js';
import {OutsideLink} from './text.js';

const codeStep = 100;

/** Codes and links of a message, best candidates first. */
export function CodesTab({message: {codes, links}}: {readonly message: FullMessageBody}) {
	if (codes.length + links.length === 0) {
		return <p class="empty">No codes or links.</p>;
	}

	return (
		<div class="findings">
			{codes.length > 0 && (
				<section aria-labelledby="codes-title">
					<h3 id="codes-title">Codes</h3>
					<More rows={codes} step={codeStep}>
						{rows => (
							<ul>
								{rows.map(code => (
									<li key={code} class="finding">
										<code class="code">{code}</code>
										<CopyButton text={code} what={`the code ${code}`} />
									</li>
								))}
							</ul>
						)}
					</More>
				</section>
			)}
			{links.length > 0 && (
				<section aria-labelledby="links-title">
					<h3 id="links-title">Links</h3>
					<More rows={links} step={codeStep}>
						{rows => (
							<ul>
								{rows.map(({url, text}) => (
									<Link key={url} url={url} text={sanitizeLine(text)} />
								))}
							</ul>
						)}
					</More>
				</section>
			)}
		</div>
	);
}

function Link({url, text}: {readonly url: string; readonly text: string}) {
	const name = text || url;
	return (
		<li class="finding">
			<p>
				{text !== '' && <bdi class="name">{text}</bdi>}
				<span class="url">
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
