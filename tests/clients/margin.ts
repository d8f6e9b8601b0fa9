import type { Client } from "openapi-fetch";
import type { paths } from "./permillion.js";

export async function lastFigure(client: Client<paths, "application/json" | "application/problem+json">): Promise<string | null> {
  const answer = await client.POST("/margin", {
    body: {
      rows: [
        { price_per_query: "0.02", offer: "openai/gpt-6-sol", usage: { input_tokens: 1000, output_tokens: 500 } },
      ],
      as_of: "2026-11-30T12:00:00Z",
    },
  });
  if (answer.error) throw new Error(JSON.stringify(answer.error));
  return answer.data.rows[0]?.gross_margin_ratio ?? null;
}
