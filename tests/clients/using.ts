// A compare, a price and a last figure by the generated types; prints them as JSON. Money is a string all the way.
import createClient from "openapi-fetch";
import type { paths } from "./permillion.js";
import { lastFigure } from "./last_figure.js";

const client = createClient<paths, "application/json" | "application/problem+json">({ baseUrl: process.argv[2] ?? "" });
const as_of = "2026-11-30T12:00:00Z";

const compared = await client.POST("/compare", {
  body: {
    samples: [{ input_tokens: 1000 }],
    workload: { output_tokens_per_query: 500 },
    offers: ["openai/gpt-6-sol", { offer: "openai/gpt-6-sol", row_id: "cut", discount_share: "0.10" }],
    as_of,
  },
});
const priced = await client.POST("/price", {
  body: { rows: [{ offer: "openai/gpt-6-sol", usage: { input_tokens: 1000, output_tokens: 500 } }], as_of },
});
if (compared.error || priced.error) throw new Error(JSON.stringify(compared.error ?? priced.error));
const costs: (string | null)[] = compared.data.rows.map((row) => row.cost_per_query);
const total: string | null | undefined = priced.data.rows[0]?.total;
const refused = await client.POST("/price", { body: { rows: [], as_of } });
console.log(JSON.stringify({ costs, total, refused: refused.error?.error_code, last: await lastFigure(client) }));
