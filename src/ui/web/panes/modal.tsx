import type {ComponentChildren} from 'preact';
import {useLayoutEffect, useRef, useState} from 'preact/hooks';
import {useSelector, useWeb} from '../context.js';

/** A dialog of the browser: it keeps the focus, Escape closes it, and the focus goes back to where it was. */
export function Modal({title, children}: {readonly title: string; readonly children: ComponentChildren}) {
	const {store} = useWeb();
	const dialog = useRef<HTMLDialogElement>(null);
	const close = () => store.update({dialog: undefined});
	/** The browser would tell of it later: the next key is for the page already. */
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === 'Escape') {
			event.preventDefault();
			close();
		}
	};
	useLayoutEffect(() => {
		const {current} = dialog;
		current?.showModal();
		return () => current?.close();
	}, []);
	return (
		<dialog ref={dialog} aria-labelledby="dialog-title" onKeyDown={onKeyDown} onClose={() => dialog.current && close()}>
			<h2 id="dialog-title">{title}</h2>
			{children}
			<Said />
		</dialog>
	);
}

/** What is said meanwhile, for those who do not see it: the rest of the page is silent below a dialog. */
function Said() {
	const notice = useSelector(({notice}) => notice);
	const [before] = useState(notice);
	return (
		<p class="visually-hidden" role="status">
			{notice !== before && notice?.text}
		</p>
	);
}

type TextFieldProps = {
	readonly name: string;
	readonly label: string;
	readonly help?: ComponentChildren;
	/** What is wrong with what it holds. */
	readonly wrong?: string | undefined;
};

/** A text of a form, with its label, how it is filled in, and what is wrong with it. */
export function TextField({name, label, help, wrong}: TextFieldProps) {
	return (
		<div class="text-field">
			<label for={`field-${name}`}>{label}</label>
			<input
				id={`field-${name}`}
				name={name}
				autocomplete="off"
				spellcheck={false}
				aria-describedby={`about-${name}`}
				aria-invalid={wrong !== undefined}
			/>
			<p id={`about-${name}`} class={wrong === undefined ? 'help' : 'failure'}>
				{wrong === undefined ? help : `${label} ${wrong}.`}
			</p>
		</div>
	);
}
