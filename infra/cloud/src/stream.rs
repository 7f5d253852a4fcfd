//! Emulates the event source mapping of a function. It polls the table's stream, filters the
//! records as template.yaml says, and delivers them in order. Failed records are delivered again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tests::template::SamTemplate;

use crate::Error;
use crate::environments::{Environments, access_key};
use crate::services::{credential, post};

/// The pause before the next poll if nothing is new.
const IDLE: Duration = Duration::from_millis(50);

pub struct Mapping {
    function: Arc<Environments>,
    services: String,
    table: String,
    patterns: Vec<Value>,
    batch: usize,
    /// The last sequence number that was delivered from each shard.
    positions: BTreeMap<String, String>,
}

impl Mapping {
    /// The mapping of this function, from the beginning of the stream.
    pub fn new(
        function: &str,
        functions: &BTreeMap<String, Arc<Environments>>,
        template: &SamTemplate,
        services: &str,
    ) -> Result<Self, Error> {
        let function = functions[function].clone();
        let alias = json!({ "!Ref": format!("{}.Alias", function.function.name) });
        let alias = template.resolved(&alias);
        let mapping = template
            .resources()
            .into_values()
            .find(|resource| {
                resource["Type"] == "AWS::Lambda::EventSourceMapping"
                    && Some(&resource["Properties"]["FunctionName"]) == alias.as_ref()
            })
            .ok_or("no stream is mapped")?;
        let properties = &mapping["Properties"];
        let filters = properties["FilterCriteria"]["Filters"]
            .as_array()
            .into_iter()
            .flatten();
        let patterns = filters
            .map(|filter| serde_json::from_str(filter["Pattern"].as_str().unwrap_or_default()))
            .collect::<Result<_, _>>()?;
        let batch = usize::try_from(properties["BatchSize"].as_u64().unwrap_or(100))?;
        let table = function.function.variables["TABLE_NAME"].clone();
        Ok(Self {
            function,
            services: services.to_owned(),
            table,
            patterns,
            batch,
            positions: BTreeMap::new(),
        })
    }

    pub async fn run(mut self) {
        loop {
            match self.deliver().await {
                Ok(true) => {}
                Ok(false) => tokio::time::sleep(IDLE).await,
                Err(error) => {
                    eprintln!("stream: {error}");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }

    async fn call(&self, operation: &str, body: Value) -> Result<Value, Error> {
        let target = format!("DynamoDBStreams_20120810.{operation}");
        post(
            &self.services,
            &target,
            &credential(&access_key(&self.function.function.name), "dynamodb"),
            &body,
        )
        .await
    }

    /// Delivers new records of each shard. Returns whether there were any.
    pub async fn deliver(&mut self) -> Result<bool, Error> {
        let streams = self
            .call("ListStreams", json!({ "TableName": self.table }))
            .await?;
        let mut any = false;
        for stream in streams["Streams"].as_array().into_iter().flatten() {
            let arn = &stream["StreamArn"];
            let described = self
                .call("DescribeStream", json!({ "StreamArn": arn }))
                .await?;
            for shard in described["StreamDescription"]["Shards"]
                .as_array()
                .into_iter()
                .flatten()
            {
                any |= self
                    .deliver_shard(arn, shard["ShardId"].as_str().unwrap_or_default())
                    .await?;
            }
        }
        Ok(any)
    }

    async fn deliver_shard(&mut self, arn: &Value, shard: &str) -> Result<bool, Error> {
        let mut from =
            json!({ "StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON" });
        if let Some(position) = self.positions.get(shard) {
            from["ShardIteratorType"] = json!("AFTER_SEQUENCE_NUMBER");
            from["SequenceNumber"] = json!(position);
        }
        let iterator = self.call("GetShardIterator", from).await?;
        let found = self
            .call(
                "GetRecords",
                json!({ "ShardIterator": iterator["ShardIterator"], "Limit": 100 }),
            )
            .await?;
        let records = found["Records"].as_array().cloned().unwrap_or_default();
        let sequence = |record: &Value| {
            record["dynamodb"]["SequenceNumber"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        let Some(end) = records.last().map(sequence) else {
            return Ok(false);
        };
        let selected: Vec<Value> = records
            .into_iter()
            .filter(|record| self.patterns.iter().any(|pattern| fits(pattern, record)))
            .collect();
        for batch in selected.chunks(self.batch) {
            let records: Vec<Value> = batch
                .iter()
                .map(|record| {
                    let mut record = record.clone();
                    record["eventSourceARN"] = arn.clone();
                    record["eventSource"] = json!("aws:dynamodb");
                    record
                })
                .collect();
            let response = self.function.invoke(&json!({ "Records": records })).await?;
            let failed = response["batchItemFailures"]
                .as_array()
                .and_then(|failures| failures.first()?["itemIdentifier"].as_str());
            let done = batch
                .iter()
                .map(sequence)
                .take_while(|sequence| Some(sequence.as_str()) != failed)
                .last();
            if let Some(done) = done {
                self.positions.insert(shard.to_owned(), done);
            }
            if failed.is_some() {
                return Ok(true);
            }
        }
        self.positions.insert(shard.to_owned(), end);
        Ok(true)
    }
}

/// Whether a record matches a filter pattern. A list in a pattern has the values that are allowed,
/// or says that there must be any.
fn fits(pattern: &Value, record: &Value) -> bool {
    match pattern {
        Value::Object(fields) => fields
            .iter()
            .all(|(name, pattern)| fits(pattern, &record[name])),
        Value::Array(allowed) => allowed
            .iter()
            .any(|one| one == record || (one["exists"] == true && !record.is_null())),
        other => other == record,
    }
}
