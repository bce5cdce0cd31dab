import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import type {FullMessageBody} from '../../../../contract/messages.js';
import {partOf, withStalePart} from '../../actions/open-message.js';
import {useSelector, useWeb} from '../../context.js';
import type {OpenMessage} from '../../state/route.js';
import type {MessageParts, PartName, ReadPart} from '../../state/state.js';

/** Part of the open message; undefined until it was read. `missingParts` reads the parts that are shown. */
export function usePart<Name extends PartName>(
	open: OpenMessage,
	name: Name,
): ReadPart<MessageParts[Name]> | undefined {
	return useSelector(({message}) => partOf(message, open, name));
}

export type Preview = ReadPart<MessageParts['preview']>;

/** Open message, its content, and its isolated preview. */
export type MessageProps = {
	readonly open: OpenMessage;
	readonly message: FullMessageBody;
	readonly preview: Preview | undefined;
};

/** Time in the time zone of the browser. */
export function Time({iso}: {readonly iso: string}) {
	return <time dateTime={iso}>{new Date(iso).toLocaleString('sv')}</time>;
}

/** Path of a preview, if there is one. */
export function pathOf(preview: Preview | undefined): string | undefined {
	return preview?.status === 'read' ? preview.value.path : undefined;
}

/** Isolated preview of the message, renewed before it expires. */
export function usePreview(open: OpenMessage): Preview | undefined {
	const web = useWeb();
	const part = usePart(open, 'preview');
	const until = part?.status === 'read' ? part.value.until : Number.POSITIVE_INFINITY;
	const {inboxId, messageId} = open;
	useEffect(() => {
		const renew = () => {
			if (Date.now() >= until) {
				web.store.update(({message}) => ({message: withStalePart(message, {inboxId, messageId}, 'preview')}));
			}
		};
		renew();
		const timer = setInterval(renew, 15_000);
		return () => clearInterval(timer);
	}, [web, until, inboxId, messageId]);
	// The old preview stays while it is being renewed.
	const isUsed = useRef(false);
	isUsed.current ||= part !== undefined && until > Date.now();
	return isUsed.current ? part : undefined;
}

type FailureProps = {readonly open: OpenMessage; readonly name: PartName};

/** Error message of a part, with a button to try again. */
export function FailedPart({open, name, reason}: FailureProps & {readonly reason: string}) {
	const {store} = useWeb();
	const readAgain = () => store.update(({message}) => ({message: withStalePart(message, open, name)}));
	return (
		<p class="failure" role="alert">
			{reason}{' '}
			<button type="button" class="link" onClick={readAgain}>
				Try again
			</button>
		</p>
	);
}

type PartViewProps<T> = FailureProps & {
	readonly part: ReadPart<T> | undefined;
	/** Name of the part, as in "Loading the source …". */
	readonly what: string;
	readonly children: (value: T) => ComponentChildren;
};

/** Content of a part, or its loading state, or its error. */
export function PartView<T>({open, name, part, what, children}: PartViewProps<T>) {
	switch (part?.status) {
		case undefined:
		case 'unread':
			return (
				<p class="reading" role="status">
					Loading {what} …
				</p>
			);
		case 'failed':
			return <FailedPart open={open} name={name} reason={part.reason} />;
		case 'read':
			return <>{children(part.value)}</>;
	}
}

type MoreProps<Row> = {
	readonly rows: readonly Row[];
	/** Number of rows that are shown at first, and added each time. */
	readonly step: number;
	readonly children: (rows: readonly Row[]) => ComponentChildren;
};

/** First rows of a long list, with a button for more. */
export function More<Row>({rows, step, children}: MoreProps<Row>) {
	const [count, setCount] = useState(step);
	const remaining = rows.length - count;
	return (
		<>
			{children(remaining > 0 ? rows.slice(0, count) : rows)}
			{remaining > 0 && (
				<p class="more">
					{count} of {rows.length.toLocaleString('en')}.{' '}
					<button type="button" onClick={() => setCount(count + step)}>
						Show {Math.min(step, remaining)} more
					</button>
				</p>
			)}
		</>
	);
}
