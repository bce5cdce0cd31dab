import {useEffect, useState} from 'preact/hooks';
import {attempt, copyToClipboard} from '../actions/notices.js';
import {useWeb} from '../context.js';

/** Time for which the button itself shows the success, because a dialog may cover notices. */
const shownMs = 1500;

type CopyButtonProps = {
	readonly text: string;
	/** Object of the button, for screen readers. */
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
