import type {ComponentChildren} from 'preact';
import {useLayoutEffect, useRef, useState} from 'preact/hooks';
import {useSelector, useWeb} from '../context.js';

/** Modal dialog. The browser traps the focus and restores it afterwards. */
export function Modal({title, children}: {readonly title: string; readonly children: ComponentChildren}) {
	const {store} = useWeb();
	const dialog = useRef<HTMLDialogElement>(null);
	const close = () => store.update({dialog: undefined});
	/** Closes the dialog before the browser's own event, which would be too late for the next key. */
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
			<ModalNotice />
		</dialog>
	);
}

/** Announces notices to screen readers, which ignore the page below a dialog. */
function ModalNotice() {
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
	/** Error message. */
	readonly error?: string | undefined;
};

/** Text field of a form with label, help and error. */
export function TextField({name, label, help, error}: TextFieldProps) {
	return (
		<div class="text-field">
			<label for={`field-${name}`}>{label}</label>
			<input
				id={`field-${name}`}
				name={name}
				autocomplete="off"
				spellcheck={false}
				aria-describedby={`about-${name}`}
				aria-invalid={error !== undefined}
			/>
			<p id={`about-${name}`} class={error === undefined ? 'help' : 'failure'}>
				{error === undefined ? help : `${label} ${error}.`}
			</p>
		</div>
	);
}
