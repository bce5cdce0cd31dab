import type {AnchorHTMLAttributes, ComponentChildren} from 'preact';
import {hrefOf, type Route} from '../state/route.js';
import {useWeb} from '../web.js';

type LinkProps = Omit<AnchorHTMLAttributes, 'href' | 'role'> & {
	readonly to: Route;
	readonly role?: 'option';
	readonly children: ComponentChildren;
};

/** A link to another place of the page; with Ctrl or the middle button it opens in a tab of its own, as links do. */
export function PlaceLink({to, children, ...attributes}: LinkProps) {
	const {go} = useWeb();
	const onClick = (event: MouseEvent) => {
		if (event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
			event.preventDefault();
			go(to);
		}
	};
	return (
		<a {...attributes} href={hrefOf(to)} onClick={onClick}>
			{children}
		</a>
	);
}
