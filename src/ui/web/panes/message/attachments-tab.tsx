import {useState} from 'preact/hooks';
import {type InlineForm, inlineType} from '../../../../contract/inline.js';
import type {AttachmentBody} from '../../../../contract/messages.js';
import {sanitizeLine} from '../../../../lib/sanitize.js';
import {formatSize} from '../../../../lib/units.js';
import type {MessageProps} from './actions.js';
import {More} from './more.js';
import {FailedPart, pathOf} from './part.js';

const step = 100;

/** Images that are shown at once: so many at most, and none of more bytes. */
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
			<More rows={attachments} step={step}>
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
	/** Where it is, once that is known. */
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

/** Where a browser shows it, in isolation. */
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
