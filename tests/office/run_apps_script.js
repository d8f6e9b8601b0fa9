// Runs docs/spreadsheets/permillion.gs as Google would: UrlFetchApp really asks the service at argv[2]; the call is on stdin.
'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const ASK = `
  const { url, options } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
  fetch(url, { method: options.method, headers: { ...options.headers, 'Content-Type': options.contentType }, body: options.payload })
    .then(async (response) => console.log(JSON.stringify({ code: response.status, text: await response.text() })));
`;
let calls = 0;
const UrlFetchApp = {
  fetch(url, options) {
    calls += 1;
    const known = ['method', 'contentType', 'headers', 'payload', 'muteHttpExceptions'];
    for (const name of Object.keys(options)) {
      if (!known.includes(name)) throw new Error(`UrlFetchApp knows no option ${name}`);
    }
    if (url.length > 2082) throw new Error('Limit Exceeded: URLFetch URL Length');
    const answer = JSON.parse(execFileSync(process.execPath, ['-e', ASK], { input: JSON.stringify({ url, options }) }));
    if (answer.code >= 400 && !options.muteHttpExceptions) throw new Error(`Request failed: ${answer.code}`);
    return { getResponseCode: () => answer.code, getContentText: () => answer.text };
  },
};

const written = fs.readFileSync(path.join(__dirname, '..', '..', 'docs', 'spreadsheets', 'permillion.gs'), 'utf8');
const script = written.replace("const SERVICE = 'http://127.0.0.1:8000';", `const SERVICE = '${process.argv[2]}';`);
if (script === written) throw new Error('the script has no SERVICE to set');
const sandbox = vm.createContext({ UrlFetchApp, Date });
vm.runInContext(script, sandbox, { filename: 'permillion.gs' });
const { range, asOf, currency } = JSON.parse(fs.readFileSync(0, 'utf8'), (key, value) =>
  value && value.date ? new Date(value.date) : value);
try {
  console.log(JSON.stringify({ cells: sandbox.PERMILLION_COMPARE(range, asOf, currency), calls }));
} catch (error) {
  console.log(JSON.stringify({ failed: error.message, calls }));
}
