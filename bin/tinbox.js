#!/usr/bin/env node
// Uses syntax of old versions of Node.js, so that they print an error message instead of a stack trace.
var wanted = [20, 18, 1];
var found = process.versions.node.split('.').map(Number);
var tooOld =
	found[0] < wanted[0] ||
	(found[0] === wanted[0] && (found[1] < wanted[1] || (found[1] === wanted[1] && found[2] < wanted[2])));

// Flags with a secret, and URLs with a user or password.
var secret = /^--(?:api-key|smtp-auth|store|user|secret)(?:=|$)|:\/\/[^/]*@/;
if (process.argv.slice(2).some(argument => secret.test(argument))) {
	// Hides the arguments from the process list, which other users can read.
	process.title = 'tinbox';
}

if (tooOld) {
	// biome-ignore lint/style/useTemplate: old versions of Node.js cannot read templates
	console.error('tinbox requires Node.js ' + wanted.join('.') + ' or newer; found ' + process.versions.node + '.');
	process.exitCode = 1;
} else if (process.argv.length === 3 && process.argv[2] === '--version') {
	import('../dist/version.js');
} else {
	import('../dist/main.js');
}
