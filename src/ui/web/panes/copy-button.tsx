import {useEffect, useState} from 'preact/hooks';
import {attempt, copyToClipboard} from '../actions/notices.js';
import {useWeb} from '../context.js';

/** How long a button shows that it did it; a dialog hides what is said elsewhere. */
const shownMs = 1500;

type CopyButtonProps = {
	readonly text: string;
	/** What it is, for those who do not see beside what the button stands. */
	readonly what: string;
	readonly children?: string;
};

export function CopyButton({text, what, children = 'Copy'}: CopyButtonProps) {
	const web = useWeb();
	const [isCopied, setCopied] = useState(false);
	useEffect(() => {
		const timer = isCopied ? setTimeout(() => setCopied(false), shownMs) : undefined;
		return () => clearTimeout(timer);
	}, [isCopied]);
	const onClick = async () => setCopied(await attempt(web, async () => copyToClipboard(web, text)));
	return (
		<button type="button" class="small copy" onClick={onClick}>
			<span class={isCopied ? 'done' : undefined}>{children}</span>
			<span class="visually-hidden"> {what}</span>
		</button>
	);
}
