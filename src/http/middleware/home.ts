import type {Context, Next} from 'koa';
import {version} from '../../lib/version.js';
import {answerPage, prefersPage} from '../pages.js';

/** Nothing that is anybody's: whoever reaches the daemon may see it. */
const home = `<main>
<h1>tinbox</h1>
<p>This is tinbox ${version}, which takes mail from programs under test and keeps it for them. It sends none of it on.</p>
<h2>Look at mail</h2>
<ul>
<li><code>tinbox watch</code> shows all of it in the terminal, as it comes; <kbd>o</kbd> opens a mail in the browser.</li>
<li><code>tinbox messages open &lt;inbox&gt; latest</code> opens the newest mail of an inbox in the browser.</li>
<li><code>tinbox inbox list</code> shows which inboxes there are.</li>
</ul>
<h2>From programs</h2>
<p>The HTTP API is below <code>/v1</code>; <a href="/v1/health"><code>/v1/health</code></a> says whether it runs, and needs no key.
<code>tinbox daemon start --format env</code> prints the addresses and a key for everything else.</p>
</main>`;

/** Tells a browser, at `/`, what this is. */
export function answerHome(ctx: Context, next: Next): Promise<void> | void {
	if (ctx.path !== '/' || !['GET', 'HEAD'].includes(ctx.method) || !prefersPage(ctx)) {
		return next();
	}

	answerPage(ctx, 200, 'tinbox', home);
}
