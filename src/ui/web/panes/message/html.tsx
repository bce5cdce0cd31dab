import {useCallback, useEffect, useRef, useState} from 'preact/hooks';
import {hasRemoteImages} from '../../../../lib/text/links.js';
import {useSelector, useWeb} from '../../context.js';
import {type FrameWidth, frameWidths} from '../../state/message.js';
import type {MessageProps} from './head.js';
import {PartView} from './part.js';

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
