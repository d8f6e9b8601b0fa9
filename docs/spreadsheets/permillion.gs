/**
 * Google Sheets: what each line of a range costs, with one call to the service for the whole range.
 *
 * Extensions > Apps Script: paste this file and set SERVICE to an address that Google's servers can reach. Then
 *   =PERMILLION_COMPARE(A1:D200, "2026-11-30")
 * The first line of the range names the columns of POST /compare.csv: row_id, offer, text or input_tokens, output_tokens, …
 * Sheets keeps an answer until the arguments change, so give the day as an argument and change it to ask again.
 */
const SERVICE = 'http://127.0.0.1:8000';

const COLUMNS = [
  'row_id', 'rank', 'offer', 'input_tokens', 'output_tokens', 'input_price_per_mtok', 'output_price_per_mtok',
  'cost_per_query', 'cost_per_month', 'gross_margin_ratio', 'currency', 'price_status', 'error_detail', 'warnings',
];
const NUMBERS = new Set([
  'rank', 'input_tokens', 'output_tokens', 'input_price_per_mtok', 'output_price_per_mtok', 'cost_per_query',
  'cost_per_month', 'gross_margin_ratio',
]);

/**
 * What each line costs: a header line, then a line for each line of the range.
 *
 * @param {Array<Array>} range Lines under a header line that names the columns.
 * @param {string} asOf Prices of this day, such as "2026-11-30".
 * @param {string=} currency ISO 4217 code of the answer; USD if left out.
 * @return {Array<Array>} The header and the figures.
 * @customfunction
 */
function PERMILLION_COMPARE(range, asOf, currency) {
  const query = `as_of=${encodeURIComponent(asText(asOf))}&currency=${encodeURIComponent(currency || 'USD')}`;
  const response = UrlFetchApp.fetch(`${SERVICE}/compare.csv?${query}`, {
    method: 'post',
    contentType: 'text/csv; charset=utf-8',
    headers: { Accept: 'application/json' },
    payload: toCsv(withoutEmptyLines(range)),
    muteHttpExceptions: true,
  });
  const answer = JSON.parse(response.getContentText());
  if (response.getResponseCode() !== 200) {
    throw new Error(`${answer.error_code}: ${answer.detail}`);
  }
  return [COLUMNS].concat(answer.rows.map((row) => COLUMNS.map((name) => toCell(name, row[name]))));
}

/** Ranges such as A1:D end in hundreds of empty lines. */
function withoutEmptyLines(range) {
  let last = range.length;
  while (last > 1 && range[last - 1].every((cell) => cell === '')) {
    last -= 1;
  }
  return range.slice(0, last);
}

function toCsv(lines) {
  return lines.map((line) => line.map((cell) => `"${asText(cell).replace(/"/g, '""')}"`).join(',')).join('\r\n');
}

/** A cell as the service reads it: days as 2026-11-30, numbers with a point and without an exponent. */
function asText(cell) {
  if (cell instanceof Date) {
    return cell.toISOString();
  }
  if (typeof cell === 'number' && !Number.isInteger(cell)) {
    const digits = Number(cell.toPrecision(15));
    return Math.abs(digits) < 1e-6 ? digits.toFixed(30).replace(/0+$/, '') : String(digits);
  }
  return String(cell);
}

/** Figures as numbers, everything else as text; text that begins with = stays text, since a function returns values. */
function toCell(name, value) {
  if (value === null) {
    return '';
  }
  return NUMBERS.has(name) ? Number(value) : String(value);
}
