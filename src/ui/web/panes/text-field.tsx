import type {ComponentChildren} from 'preact';

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
