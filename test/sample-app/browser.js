/** Requests a page, or submits a form if fields are given (`browser.js <url> [name=value…]`), and prints the response. */
const [url = '', ...fields] = process.argv.slice(2);
const form = new URLSearchParams(fields.join('&'));
const response = await fetch(url, form.size === 0 ? {} : {method: 'POST', body: form});
console.log(await response.text());
process.exitCode = response.ok ? 0 : 1;
