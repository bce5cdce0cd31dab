/**
 * The HTML of a mail that tries to run scripts and to send requests. A script that runs logs `ran <name>` to the console; a
 * request has the URL that `at` returns for the name of its element.
 */
export function hostileHtml(at: (name: string) => string): string {
	return `<!doctype html>
<html background="${at('html-background')}" manifest="${at('manifest')}">
<head>
<base href="${at('base')}">
<meta http-equiv="refresh" content="0; url=${at('refresh')}">
<meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline' 'unsafe-eval' data: blob:">
<link rel="stylesheet" href="${at('stylesheet')}">
<link rel="icon" href="${at('icon')}">
<link rel="manifest" href="${at('web-manifest')}">
<link rel="prefetch" href="${at('prefetch')}">
<link rel="preload" as="image" href="${at('preload')}">
<link rel="modulepreload" href="${at('modulepreload')}">
<link rel="prerender" href="${at('prerender')}">
<link rel="preconnect" href="${at('preconnect')}">
<link rel="dns-prefetch" href="${at('dns-prefetch')}">
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${at('speculation')}"]}]}</script>
<style>
@import url("${at('css-import')}");
@font-face {font-family: remote; src: url("${at('font')}")}
body {background: url("${at('css-background')}"); font-family: remote; cursor: url("${at('cursor')}"), auto}
ul {list-style-image: url("${at('list-style')}")}
p::before {content: url("${at('css-content')}")}
</style>
<script>${mark('script')}</script>
<script src="${at('script-src')}"></script>
<script type="module">${mark('module')}</script>
<script type="module" src="${at('module-src')}"></script>
</head>
<body onload="${mark('body onload')}" background="${at('body-background')}">
<p>The text of the mail</p>
<img src="${at('pixel')}" width="1" height="1">
<img srcset="${at('srcset')} 2x">
<picture><source srcset="${at('picture')}"><img></picture>
<img src="x:" onerror="${mark('img onerror')}">
<img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' onload='${mark('svg in an image')}'/%3E">
<table background="${at('table-background')}"><tr><td style="background-image: url('${at('cell-background')}')">cell</td></tr></table>
<svg onload="${mark('svg onload')}"><script>${mark('svg script')}</script>
	<image href="${at('svg-image')}"/><use href="${at('svg-use')}#a"/>
	<foreignObject><img src="${at('svg-foreign')}"></foreignObject>
	<animate attributeName="href" values="javascript:${mark('svg animate')}"/>
	<a href="javascript:${mark('svg link')}"><text y="20">svg link</text></a></svg>
<math href="javascript:${mark('math')}">math</math>
<iframe src="${at('iframe')}"></iframe>
<iframe src="javascript:${mark('iframe javascript')}"></iframe>
<iframe srcdoc="&lt;script>${mark('srcdoc')}&lt;/script>&lt;img src='${at('srcdoc-image')}'>"></iframe>
<iframe src="data:text/html,&lt;script>${mark('data frame')}&lt;/script>"></iframe>
<frameset><frame src="${at('frame')}"></frameset>
<object data="${at('object')}"></object>
<embed src="${at('embed')}">
<audio src="${at('audio')}" autoplay></audio>
<video src="${at('video')}" poster="${at('poster')}" autoplay><track src="${at('track')}" default></video>
<portal src="${at('portal')}"></portal>
<form action="${at('form')}" id="form"><input name="password" autofocus onfocus="${mark('onfocus')}">
	<input type="image" src="${at('input-image')}"><button id="send">send</button></form>
<details open ontoggle="${mark('ontoggle')}"><summary>more</summary></details>
<marquee onstart="${mark('onstart')}">moving</marquee>
<script>document.getElementById('form').submit()</script>
<a class="trap" href="javascript:${mark('link')}">link</a>
<a class="trap" href="javascript:${mark('link in the page')}" target="_self">link</a>
<a class="trap" href="javascript:${mark('link to the top')}" target="_top">link</a>
<a class="trap" href="data:text/html,&lt;script>${mark('data link')}&lt;/script>" target="_top">link</a>
<a class="trap" href="${at('link-to-the-top')}" target="_top">link</a>
<a class="trap" href="${at('link-in-the-frame')}" ping="${at('ping')}" target="_self">link</a>
</body></html>`;
}

/** A script without quotes, so that it can be embedded in attributes and strings. */
function mark(name: string): string {
	return `console.log(\`ran ${name}\`);top.document.title=\`ran\`;alert(1)`;
}
