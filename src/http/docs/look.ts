/** How the page looks: light and dark, wide and narrow. */
export const docsStyle = `
:root {color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; --line: #8886}
html {background: Canvas; color: CanvasText}
body {display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 0 2rem; max-width: 80rem; margin: 0 auto; padding: 1.5rem 1rem 3rem}
header {grid-column: 1 / -1}
nav {position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; box-sizing: border-box; padding: 1rem .25rem; font-size: .9rem}
h1 {margin: 0 0 .5rem; font-size: 1.5rem}
h2 {margin: 2.5rem 0 .25rem}
h3 {margin: 0; font-size: 1rem}
h4 {margin: .75rem 0 .25rem; font-size: .9rem}
p {margin: .25rem 0}
ul {margin: 0; padding-left: 1.1rem}
nav h2 {margin: 1rem 0 .25rem; font-size: 1rem}
nav ul {padding: 0; list-style: none}
nav a {display: block; padding: .25rem 0; text-decoration: none}
nav a:hover, nav a:focus {text-decoration: underline}
code, pre {font: .85rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere}
pre {margin: .25rem 0; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap}
article {margin: .75rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px}
article:target {outline: 2px solid}
input {box-sizing: border-box; width: 100%; padding: .4rem .6rem; font: inherit}
.method {font-weight: bold}
@media (max-width: 50rem) {body {display: block} nav {position: static; max-height: 50vh; margin-top: 1rem; border: solid var(--line); border-width: 1px 0}}
`;

/** Hides operations that do not contain all words of the search. */
export const docsScript = `
const field = document.querySelector('input');
const count = document.querySelector('[role=status]');
document.querySelector('label').hidden = false;
field.oninput = () => {
	const words = field.value.toLowerCase().split(/\\s+/);
	const fits = element => words.every(word => element.textContent.toLowerCase().includes(word));
	let found = 0;
	for (const article of document.querySelectorAll('article.operation')) {
		article.hidden = !fits(article);
		found += article.hidden ? 0 : 1;
		document.querySelector('nav a[href="#' + article.id + '"]').parentElement.hidden = article.hidden;
	}
	for (const group of document.querySelectorAll('section, nav div')) {
		group.hidden = !group.querySelector('article:not([hidden]), nav li:not([hidden])');
	}
	count.textContent = field.value === '' ? '' : found + (found === 1 ? ' operation' : ' operations');
};
`;
